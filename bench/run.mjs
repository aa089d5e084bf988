#!/usr/bin/env node
// Measures the gateway beside a bare baseline on the same data, in one run. See README.md here.
//   node bench/run.mjs [--seconds N] [--rounds N] [--connections 1,16,64] [--case part-of-a-name]
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import pg from 'pg';
import { startGateway } from '../scripts/gateway-process.mjs';
import { authorization, cases, SANITY } from './cases.mjs';
import { combined, measure } from './measure.mjs';
import { printAims, printRow, printTitle } from './report.mjs';
import { ACTORS, displayNameOf, forgetCreated, seed } from './seed.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const WARM_UP_SECONDS = 1;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,16,64' },
    case: { type: 'string', default: '' },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const connectionCounts = options.connections.split(',').map(Number);

/** Starts a server of this directory as a child process; it ends when the IPC channel closes. */
function startChild(file, message) {
  const child = fork(join(here, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((started, failed) => {
    child.once('exit', (code) => failed(new Error(`${file} ended with ${code}`)));
    child.once('message', ({ port }) => started({ url: `http://127.0.0.1:${port}`, pid: child.pid, child }));
    child.send(message);
  });
}

function endChild(child) {
  const gone = new Promise((done) => child.removeAllListeners('exit').once('exit', done));
  child.disconnect();
  return gone;
}

async function bytesOf(server, { method, path, headers }) {
  const reply = await fetch(server.url + path, { method, headers });
  if (!reply.ok)
    throw new Error(`${method} ${server.url}${path}: HTTP ${reply.status}\n${await reply.text()}`);
  return reply.text();
}

async function capabilitiesOf(gateway) {
  const get = (format) =>
    bytesOf(gateway, {
      method: 'GET',
      path: `/ocs/v2.php/cloud/capabilities?format=${format}`,
      headers: { authorization: authorization(ACTORS.lister.uid) },
    });
  return { json: await get('json'), xml: await get('xml') };
}

/** The comparison is worth something only while both say the same. */
async function requireSameBytes(gateway, baseline, selected) {
  for (const one of selected.filter(({ writes }) => !writes)) {
    const request = one.prepare();
    const [theirs, ours] = [await bytesOf(baseline, request), await bytesOf(gateway, request)];
    if (theirs === ours) continue;
    const at = [...ours].findIndex((sign, index) => sign !== theirs[index]);
    const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
    throw new Error(
      `${one.case} (${one.format}): the baseline says ${around(theirs)}, the gateway ${around(ours)}`,
    );
  }
}

/** Gateway and baseline in turn, so that whatever else the machine does meets both. */
async function compare(one, connections, { gateway, baseline, database }) {
  const parts = { gateway: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of Object.entries({ gateway, baseline })) {
      parts[name].push(await measure(server, await one.prepare(database, seconds), { connections, seconds }));
      if (one.writes) await forgetCreated(database);
    }
  }
  const [product, reference] = [combined(parts.gateway), combined(parts.baseline)];
  return {
    case: one.case,
    connections,
    format: one.format,
    product: product.perSecond,
    baseline: reference.perSecond,
    ratio: product.perSecond / reference.perSecond,
    p50: product.p50,
    p99: product.p99,
    cpuMsPerRequest: product.cpuMsPerRequest,
    rssMb: product.rssMb,
  };
}

async function warmUp(one, { gateway, baseline, database }) {
  for (const server of [gateway, baseline]) {
    await measure(server, await one.prepare(database, WARM_UP_SECONDS), {
      connections: 16,
      seconds: WARM_UP_SECONDS,
    });
  }
}

/** What is missing of the baseline's sanity, in words. */
async function insanity(results, bare) {
  const ceiling = combined([await measure(bare, { headers: {} }, { connections: 16, seconds })]).perSecond;
  console.log(`\nbare node:http at 16 connections: ${Math.round(ceiling)} req/s`);
  const complaints = [];
  for (const { case: name, format, least } of SANITY) {
    const row = results.find((one) => one.case === name && one.format === format && one.connections === 16);
    if (row === undefined) continue;
    const share = row.baseline / ceiling;
    console.log(`baseline, ${name} (${format}): ${share.toFixed(3)} of it (at least ${least})`);
    if (share < least) complaints.push(`${name} (${format}) of the baseline is too slow to compare with`);
  }
  return complaints;
}

async function measureAll(world) {
  const [{ id: oneShareId }] = (
    await world.database.query('SELECT min(id) AS id FROM share WHERE initiator_uid = $1', [
      ACTORS.lister.uid,
    ])
  ).rows;
  const selected = cases(oneShareId).filter((one) => one.case.includes(options.case));
  await requireSameBytes(world.gateway, world.baseline, selected);
  printTitle();
  const results = [];
  for (const one of selected) {
    await warmUp(one, world);
    for (const connections of connectionCounts) {
      const row = await compare(one, connections, world);
      printRow(row, one.aim);
      results.push(row);
    }
  }
  const complaints = await insanity(results, world.bare);
  printAims(results, selected);
  mkdirSync(join(here, 'results'), { recursive: true });
  writeFileSync(join(here, 'results/latest.json'), `${JSON.stringify(results, null, 2)}\n`);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}

function accountsOfActors() {
  return Object.values(ACTORS).map(({ uid }) => ({
    uid,
    name: displayNameOf(uid),
    digest: createHash('sha256').update(authorization(uid)).digest('hex'),
  }));
}

const gateway = await startGateway({ COMPATIBILITY: 'owncloud10' });
const embedded = await openEmbeddedDatabase({ dataDirectory: gateway.dataDir, role: 'command' });
const database = new pg.Client({ connectionString: embedded.url });
const children = [];
try {
  await database.connect();
  await seed(database);
  const capabilities = await capabilitiesOf(gateway);
  const { dataDir: dataDirectory } = gateway;
  const baseline = await startChild('baseline.mjs', {
    dataDirectory,
    accounts: accountsOfActors(),
    capabilities,
  });
  children.push(baseline.child);
  const bare = await startChild('bare.mjs', {});
  children.push(bare.child);
  await measureAll({ gateway, baseline, bare, database });
} finally {
  for (const child of children) await endChild(child);
  await database.end();
  await embedded.stop();
  await gateway.stop();
}
