#!/usr/bin/env node
// Measures events to 10,000 WebSocket clients of one process, from a change of a file to each client's event. The baseline is a bare
// server of the same library that sends an event to all its clients on a notification of PostgreSQL. Part of run.mjs; also alone:
//   node bench/push-clients.mjs [--clients N] [--rounds N]
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { repository } from '../scripts/gateway-process.mjs';
import { startApp } from './app-processes.mjs';
import { authorization } from './cases.mjs';
import { ask, forkHere, KEY, usage } from './delivery-processes.mjs';
import { mean, percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { printRow, printTitle } from './report.mjs';
import { PASSWORD, writeActors } from './seed.mjs';
import { bytesOf, openProduct, withClosers } from './world.mjs';

const OF_AN_ACCOUNT = 50;
const QUIET_MS = 3000;

/** The case for the option --case. It has no aim: the gateway collects changes for a moment, the baseline does not. */
export const PUSH_CLIENTS = { case: 'push to 10,000 clients', format: 'ws' };

const GROUP = `INSERT INTO user_group (gid) VALUES ('everybody')`;
const MEMBERS = `INSERT INTO group_member (gid, uid) SELECT 'everybody', uid FROM user_account WHERE uid LIKE 'client%'`;

/** The owner shares a folder with all accounts of the clients. */
async function shareWithAll(gateway, uids) {
  const owner = { authorization: authorization('owner') };
  await bytesOf(gateway, { method: 'MKCOL', path: '/remote.php/webdav/room', headers: owner });
  const share = { path: '/room', shareType: '1', shareWith: 'everybody', permissions: '31' };
  await bytesOf(gateway, {
    method: 'POST',
    path: '/ocs/v2.php/apps/files_sharing/api/v1/shares',
    headers: { ...owner, 'ocs-apirequest': 'true' },
    body: new URLSearchParams(share),
  });
  // A listing creates the place of the share in the tree of its recipient.
  for (const uid of uids)
    await bytesOf(gateway, {
      method: 'PROPFIND',
      path: '/remote.php/webdav/',
      headers: { authorization: authorization(uid), depth: '1' },
    });
}

async function seed(client, uids) {
  const actors = Object.fromEntries(['owner', ...uids].map((uid) => [uid, { uid }]));
  await writeActors(client, actors);
  await client.query(GROUP);
  await client.query(MEMBERS);
}

/** One change, until every client of the crowd has heard of it. @returns clients per second, and milliseconds until each event */
async function tell(crowd, change) {
  await ask(crowd, { ask: 'quiet', forMs: QUIET_MS });
  const heard = ask(crowd, { ask: 'heard' });
  const from = Date.now();
  await change();
  const { times } = await heard;
  const waits = times.map((time) => time - from);
  return { perSecond: (1000 * waits.length) / Math.max(...waits), waits };
}

function rowOf(product, baseline, { cpuMs, rssMb, clients }) {
  const waits = product.flatMap((one) => one.waits).sort((a, b) => a - b);
  const [ours, theirs] = [product, baseline].map((all) => mean(all.map(({ perSecond }) => perSecond)));
  return {
    ...PUSH_CLIENTS,
    connections: clients,
    product: ours,
    baseline: theirs,
    ratio: ours / theirs,
    interval: ratioOfPairs(product.map(({ perSecond }, round) => [perSecond, baseline[round].perSecond])),
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    cpuMsPerRequest: cpuMs / waits.length,
    rssMb,
  };
}

async function measureRounds({ gateway, web, client, bare, crowds }, { clients, rounds }) {
  const [product, baseline] = [[], []];
  let cpuMs = 0;
  const write = (round) =>
    bytesOf(gateway, {
      method: 'PUT',
      path: `/remote.php/webdav/room/file-${round}.txt`,
      headers: { authorization: authorization('owner') },
      body: 'content',
    });
  for (let round = 0; round <= rounds; round += 1) {
    const before = usage(web.pid).cpuMs;
    const ours = await tell(crowds.product, () => write(round));
    const spent = usage(web.pid).cpuMs - before;
    const theirs = await tell(crowds.baseline, () => client.query(`NOTIFY ${bare.channel}`));
    // The first round only warms up.
    if (round === 0) continue;
    product.push(ours);
    baseline.push(theirs);
    cpuMs += spent;
  }
  return rowOf(product, baseline, { cpuMs, rssMb: usage(web.pid).rssMb, clients });
}

/**
 * @param {{clients: number, rounds: number}} size
 * @returns rows as in results/latest.json
 */
export const measurePushClients = (size) =>
  withClosers(async (closers) => {
    const uids = Array.from(
      { length: Math.ceil(size.clients / OF_AN_ACCOUNT) },
      (_, number) => `client${number}`,
    );
    const { gateway, database, databaseUrl } = await openProduct({ ENCRYPTION_KEY: KEY }, undefined, closers);
    await seed(database, uids);
    await shareWithAll(gateway, uids);
    const web = await startApp('web', {
      DATABASE_URL: databaseUrl,
      DATA_DIR: gateway.dataDir,
      CONNECTIONS_PER_ADDRESS: String(2 * size.clients),
    });
    closers.push(() => web.stop());
    const started = (child) => {
      closers.push(() => child.connected && child.disconnect());
      return child;
    };
    const bare = await ask(started(forkHere('baseline-push.mjs')), { url: databaseUrl });
    const openCrowd = async (port) => {
      const crowd = started(fork(join(repository, 'scripts/push-crowd.mjs')));
      await ask(crowd, { ask: 'open', count: size.clients, uids, password: PASSWORD, port });
      return crowd;
    };
    const crowds = { product: await openCrowd(web.port), baseline: await openCrowd(bare.port) };
    return [await measureRounds({ gateway, web, client: database, bare, crowds }, size)];
  });

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { clients: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '5' } },
  });
  printTitle();
  const size = { clients: Number(values.clients), rounds: Number(values.rounds) };
  for (const row of await measurePushClients(size)) printRow(row);
}
