#!/usr/bin/env node
// Two instances of different organisations on one machine. alice@a shares a folder with bob@b; bob accepts, writes into it and reads Alice's files.
// Alice changes the share and withdraws it. Then b is killed during another share, which arrives after b restarts. Prints every request and reply, of
// users (>, <) and between the servers (=>, <=).
import { ADMIN } from './gateway-process.mjs';
import { eventually, Instance } from './demo-federation/instance.mjs';
import { listenInFront } from './demo-federation/listener.mjs';

const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';
const REMOTE_SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/remote_shares';
const ALICE = { user: 'alice', password: 'alice-likes-long-ones' };
const BOB = { user: 'bob', password: 'bob-prefers-them-too' };
const SECRET = /("(?:token|share_token)":")[A-Za-z0-9]+/g;

/** One call of a user; printed unless `quiet`. @returns the data of its envelope */
async function call(url, { as, method = 'GET', path, form, content, expect = [200], quiet = false }) {
  const body = content ?? (form && new URLSearchParams(form));
  const authorization = `Basic ${Buffer.from(`${as.user}:${as.password}`).toString('base64')}`;
  const target = path.startsWith('/ocs/') ? `${path}?format=json` : path;
  const reply = await fetch(url + target, { method, headers: { authorization }, body });
  const text = await reply.text();
  if (!quiet) {
    console.log(`\n> ${method} ${target}   (as ${as.user})`);
    if (body) console.log(`  ${body}`);
    console.log(`< ${reply.status}`);
    if (text !== '') console.log(`  ${text.replace(SECRET, '$1<secret>')}`);
  }
  if (!expect.includes(reply.status)) throw new Error(`${method} ${target}: ${reply.status}\n${text}`);
  return text.startsWith('{') ? JSON.parse(text).ocs.data : undefined;
}

const say = (sentence) => console.log(`\n# ${sentence}`);

async function makeAccount(url, { user, password }) {
  const form = { userid: user, password };
  await call(url, { as: ADMIN, method: 'POST', path: '/ocs/v2.php/cloud/users', form, quiet: true });
}

const makeFolder = (url, name) =>
  call(url, { as: ALICE, method: 'MKCOL', path: `/remote.php/webdav/${name}`, expect: [201], quiet: true });

const listed = (url, as, path) => call(url, { as, path, quiet: true });

/** Waits for a state that a user sees, then prints the call that shows it. */
async function until(what, url, { as, path }, condition) {
  await eventually(what, async () => condition(await listed(url, as, path)));
  return call(url, { as, path });
}

const offer = (a, bobAtB, folder) =>
  call(a, {
    as: ALICE,
    method: 'POST',
    path: SHARES,
    form: { path: `/${folder}`, shareType: '6', shareWith: bobAtB },
  });

async function shareAcceptAndEnd(a, b, bobAtB) {
  say(`Alice shares a folder with ${bobAtB}.`);
  await makeFolder(a, 'Plans');
  const { id } = await offer(a, bobAtB, 'Plans');
  say('Bob finds the pending share and accepts it. Bob’s instance sends the acceptance to Alice’s instance.');
  const pending = `${REMOTE_SHARES}/pending`;
  const [{ id: received }] = await until('the pending share', b, { as: BOB, path: pending }, (all) => all[0]);
  await call(b, { as: BOB, method: 'POST', path: `${pending}/${received}` });
  await until(
    'the acceptance',
    a,
    { as: ALICE, path: `${SHARES}/${id}` },
    ([share]) => share.acceptance === 'accepted',
  );
  say(
    'Bob now has the folder. Files that Bob writes are stored at Alice’s instance, and Bob reads what Alice changes.',
  );
  const plan = '/remote.php/webdav/Plans/plan.txt';
  await call(b, { as: BOB, method: 'PUT', path: plan, content: 'Bob was here.', expect: [201] });
  await call(a, { as: ALICE, path: plan });
  await call(a, { as: ALICE, method: 'PUT', path: plan, content: 'So was Alice.', expect: [204] });
  await call(b, { as: BOB, path: plan });
  say('Alice changes what Bob may do.');
  await call(a, { as: ALICE, method: 'PUT', path: `${SHARES}/${id}`, form: { permissions: '1' } });
  await eventually('the change', async () => {
    const [share] = await listed(a, ALICE, `${SHARES}/${id}`);
    return share.delivery_state === 'delivered';
  });
  say('Alice takes the share back: it disappears from Bob’s list.');
  await call(a, { as: ALICE, method: 'DELETE', path: `${SHARES}/${id}` });
  await until('the end of the share', b, { as: BOB, path: REMOTE_SHARES }, (all) => all.length === 0);
}

async function shareWhileKilled(a, bInstance, front, bobAtB) {
  say('Alice shares another folder. Instance b is killed while the offer is on its way.');
  await makeFolder(a, 'Minutes');
  front.beforeNext('/ocm/shares', async () => {
    await bInstance.kill();
    console.log('\n  ** instance b is killed');
  });
  const { id, delivery_state: state } = await offer(a, bobAtB, 'Minutes');
  if (state !== 'retrying') throw new Error(`the share is ${state}`);
  say('Nothing is lost for Alice: the share stays, and its delivery is tried again. Instance b comes back.');
  await bInstance.start();
  await until(
    'the delivery',
    a,
    { as: ALICE, path: `${SHARES}/${id}` },
    ([share]) => share.delivery_state === 'delivered',
  );
  say('Bob has it, once.');
  const all = await call(front.url, { as: BOB, path: `${REMOTE_SHARES}/pending` });
  if (all.length !== 1) throw new Error(`bob has ${all.length} pending shares`);
}

const [a, b] = await Promise.all([Instance.at('a'), Instance.at('b')]);
const fronts = await Promise.all([listenInFront(a), listenInFront(b)]);
a.publicUrl = fronts[0].url;
b.publicUrl = fronts[1].url;
try {
  await a.start();
  await b.start();
  console.log(`Instance a listens at ${a.publicUrl}, instance b at ${b.publicUrl}.`);
  await makeAccount(a.publicUrl, ALICE);
  await makeAccount(b.publicUrl, BOB);
  const bobAtB = `bob@${new URL(b.publicUrl).host}`;
  await shareAcceptAndEnd(a.publicUrl, b.publicUrl, bobAtB);
  await shareWhileKilled(a.publicUrl, b, fronts[1], bobAtB);
} finally {
  await Promise.all([a.stop(), b.stop()]);
  await Promise.all(fronts.map((front) => front.close()));
}
const left = [...a.leftovers(), ...b.leftovers()];
if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`);
console.log('\nBoth instances were stopped and their data removed; no process is left.');
