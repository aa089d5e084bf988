#!/usr/bin/env node
// Processor time of the gateway and of PostgreSQL for each kind of request, and for all kinds at the same time. Compares their sum
// with what they take together, because docs/operations/scale.md estimates the processors of an organisation by such sums.
//   node bench/request-costs.mjs [--seconds N] [--connections N]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { authorization, SHARE_CASES, SHARES } from './cases.mjs';
import { BASE, listing } from './cases-files.mjs';
import { cpuMs, postgresCpuMs } from './instrument/processor-time.mjs';
import { measure } from './measure.mjs';
import { ACTORS, seed } from './seed.mjs';
import { contentOf } from './seed-files.mjs';
import { openProduct, withClosers } from './world.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '8' } },
});
const connections = Number(values.connections);
const seconds = Number(values.seconds);

const FILE = contentOf(10_240);
const signedIn = { authorization: authorization(ACTORS.lister.uid) };
const shareCase = (name) =>
  SHARE_CASES.find((known) => known.case === name && known.format === 'json').prepare;

let uploads = 0;
let searches = 0;
const upload = () => ({ path: `${BASE}uploads/${uploads++}.bin` });
const search = () => ({
  path: `${SHARES.replace(/shares$/, 'sharees')}?search=use${searches++ % 10}&itemType=file&format=json`,
});

/** Each kind of request, and how it is prepared. */
const KINDS = [
  ['look for changes (PROPFIND of depth 0)', () => listing(ACTORS.lister.uid, '0')],
  ['folder of 100 entries (PROPFIND)', () => listing(ACTORS.lister.uid, '1')],
  ['GET of 10 kB', () => ({ method: 'GET', path: `${BASE}file.bin`, headers: signedIn })],
  ['PUT of 10 kB', () => ({ method: 'PUT', headers: signedIn, body: FILE, next: upload })],
  ['capabilities', shareCase('capabilities')],
  ['list of 100 own shares', shareCase('list of 100')],
  ['list of 100 received shares', shareCase('shared_with_me of 100')],
  ['one share', shareCase('one share')],
  ['search for recipients', () => ({ method: 'GET', headers: signedIn, next: search })],
  ['new share', shareCase('create')],
];

/** Milliseconds of processor time until now. */
const spent = ({ gateway, cluster }) => ({ gateway: cpuMs(gateway.pid), postgres: postgresCpuMs(cluster) });
const PLACES = ['gateway', 'postgres'];
const each = (valueOf) => Object.fromEntries(PLACES.map((place) => [place, valueOf(place)]));

/** Sends the requests at the same time. @returns the number of each, and the milliseconds of processor time of all */
async function sendAll(requests, server, size) {
  const before = spent(server);
  const counts = await Promise.all(
    requests.map(async (request) => (await measure(server.gateway, request, size)).count),
  );
  const after = spent(server);
  return { counts, ms: each((place) => after[place] - before[place]) };
}

/** Milliseconds of processor time per request. */
async function costOf(request, server) {
  await measure(server.gateway, request, { connections, seconds: Math.max(1, seconds / 5) });
  const { counts, ms } = await sendAll([request], server, { connections, seconds });
  return each((place) => ms[place] / counts[0]);
}

function print(name, { gateway, postgres }) {
  console.log(`${name.padEnd(42)}${gateway.toFixed(2).padStart(10)}${postgres.toFixed(2).padStart(10)}`);
}

/** A file to read, and a folder for uploads, which must not make the listed folder longer. */
async function prepareFiles(gateway) {
  const send = async (method, name, body) => {
    const reply = await fetch(`${gateway.url}${BASE}${name}`, { method, headers: signedIn, body });
    if (reply.status !== 201) throw new Error(`${method} ${name}: HTTP ${reply.status}`);
  };
  await send('PUT', 'file.bin', FILE);
  await send('MKCOL', 'uploads');
}

await withClosers(async (closers) => {
  const { gateway, database } = await openProduct({}, undefined, closers);
  await seed(database);
  await prepareFiles(gateway);
  const server = { gateway, cluster: join(gateway.dataDir, 'postgres') };
  console.log(`${'milliseconds of a processor per request'.padEnd(42)}${'gateway'.padStart(10)}PostgreSQL`);
  const costs = [];
  const requests = [];
  for (const [name, prepare] of KINDS) {
    const request = await prepare(database, seconds);
    requests.push(request);
    costs.push(await costOf(request, server));
    print(name, costs.at(-1));
  }
  const { counts, ms } = await sendAll(requests, server, { connections: 1, seconds: 2 * seconds });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const sum = each((place) => counts.reduce((all, count, kind) => all + count * costs[kind][place], 0));
  print(
    `mean of ${total} requests of all kinds at once`,
    each((place) => ms[place] / total),
  );
  print(
    'the same as the sum of its parts',
    each((place) => sum[place] / total),
  );
  const off = each((place) => `${(100 * (sum[place] / ms[place] - 1)).toFixed(0)} %`);
  console.log(`The sum is off by ${off.gateway} (gateway) and ${off.postgres} (PostgreSQL).`);
});
