#!/usr/bin/env node
// The README's tour as a script: a separate gateway, two users, and a file that one shares and the other changes.
// Prints every request and reply unchanged.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN, repository, startGateway } from './gateway-process.mjs';

const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json';
const ALICE = { user: 'alice', password: 'alice-likes-long-ones' };
const BOB = { user: 'bob', password: 'bob-prefers-them-too' };
const LINES_SHOWN = 14;

function printBody(text) {
  const lines = text.trimEnd().split('\n');
  for (const line of lines.slice(0, LINES_SHOWN)) console.log(`  ${line}`);
  if (lines.length > LINES_SHOWN) console.log(`  … ${lines.length - LINES_SHOWN} more lines`);
}

/** Sends one request, prints it and its reply, and requires the status. */
async function send(url, { as, method = 'GET', path, form, headers = {}, body, expect = 200 }) {
  const sent = form === undefined ? body : String(new URLSearchParams(form));
  const authorization = `Basic ${Buffer.from(`${as.user}:${as.password}`).toString('base64')}`;
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  console.log(`\n> ${method} ${path}   (as ${as.user})`);
  if (sent !== undefined) printBody(String(sent));
  const reply = await fetch(url + path, {
    method,
    headers: { authorization, ...type, ...headers },
    body: sent,
  });
  const text = await reply.text();
  console.log(`< ${reply.status} ${reply.statusText}`);
  if (text !== '') printBody(text);
  if (reply.status !== expect) throw new Error(`expected ${expect}, got ${reply.status}`);
  return text;
}

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

async function tour(url) {
  const request = (options) => send(url, options);
  const file = '/remote.php/webdav/README.md';
  const content = readFileSync(join(repository, 'README.md'));

  console.log('\n# The administrator makes two accounts.');
  for (const { user, password } of [ALICE, BOB]) {
    const form = { userid: user, password };
    await request({ as: ADMIN, method: 'POST', path: '/ocs/v2.php/cloud/users?format=json', form });
  }
  console.log('\n# Alice stores a real file and shares it with Bob, who may change it.');
  await request({ as: ALICE, method: 'PUT', path: file, body: content, expect: 201 });
  const created = await request({
    as: ALICE,
    method: 'POST',
    path: SHARES,
    form: { path: '/README.md', shareType: '0', shareWith: BOB.user },
  });
  console.log('\n# Bob finds the share, and reads the same bytes.');
  await request({ as: BOB, path: `${SHARES}&shared_with_me=true` });
  const received = await request({ as: BOB, path: file });
  if (sha256(received) !== sha256(content)) throw new Error('Bob got other bytes than Alice stored');
  console.log(`# the same ${content.length} bytes, SHA-256 ${sha256(received)}`);
  console.log('\n# Bob changes the file, and Alice reads the change.');
  await request({ as: BOB, method: 'PUT', path: file, body: 'Bob was here.\n', expect: 204 });
  await request({ as: ALICE, path: file });
  console.log('\n# Alice takes the share back: for Bob the file is gone at once.');
  const { id } = JSON.parse(created).ocs.data;
  await request({ as: ALICE, method: 'DELETE', path: SHARES.replace('?', `/${id}?`) });
  await request({ as: BOB, path: file, expect: 404 });
}

const gateway = await startGateway();
console.log(`A gateway listens at ${gateway.url}; its data lies in ${gateway.dataDir}.`);
try {
  await tour(gateway.url);
} finally {
  await gateway.stop();
}
console.log('\nThe gateway was stopped and its data removed.');
