#!/usr/bin/env node
// Measures the time of each app from its start to its readiness on a migrated database, and its memory, idle and under load. The
// baseline is an empty app of the same framework. Writes results/processes.json. Part of run.mjs; also alone:
//   node bench/processes.mjs [--seconds N] [--rounds N]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import { SecretBox } from '#platform';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { peakMb, startApp } from './app-processes.mjs';
import { authorization, SHARE_CASES } from './cases.mjs';
import { EMPTY_INBOX_CASES } from './cases-federation.mjs';
import { deliver } from './deliveries.mjs';
import { ask, forkHere, KEY, usage } from './delivery-processes.mjs';
import { measure } from './measure.mjs';
import { ACTORS, seed } from './seed.mjs';
import { partnerHost, PARTNERS } from './seed-federation.mjs';

const CONNECTIONS = 16;
const DELIVERED = 2000;
const IDLE_MS = 3000;
const START_AIM_MS = 2000;
const MEMORY_AIM_MB = 150;

export const PROCESSES = { case: 'processes' };

const caseNamed = (cases, name) => cases.find((one) => one.case.startsWith(name));
const listing = {
  prepare: () => ({
    method: 'PROPFIND',
    path: '/remote.php/webdav/',
    headers: { authorization: authorization(ACTORS.lister.uid), depth: '1' },
  }),
};
const readiness = { prepare: () => ({ method: 'GET', path: '/health/ready', headers: {} }) };

/** Requests to each process; the worker gets none, because it only delivers. */
const LOADS = {
  bare: readiness,
  'share-api': caseNamed(SHARE_CASES, 'list of 100'),
  capabilities: caseNamed(SHARE_CASES, 'capabilities'),
  files: listing,
  'federation-api': caseNamed(EMPTY_INBOX_CASES, 'offers taken'),
  'federation-worker': undefined,
  web: { prepare: () => ({ method: 'GET', path: '/login', headers: {} }) },
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Each app is started several times: the first start fills the file cache. */
async function measureStart(app, environment, rounds) {
  const starts = [];
  for (let round = 0; round <= rounds; round++) {
    const { readyMs, cpuMs, stop } = await startApp(app, environment);
    await stop();
    if (round > 0) starts.push({ readyMs, cpuMs });
  }
  return { readyMs: median(starts.map((one) => one.readyMs)), cpuMs: median(starts.map((one) => one.cpuMs)) };
}

async function measureMemory(app, { environment, client, database, sink, sealed }, seconds) {
  const started = await startApp(app, environment);
  try {
    await new Promise((passed) => setTimeout(passed, IDLE_MS));
    const idleMb = usage(started.pid).rssMb;
    const load = LOADS[app];
    if (load)
      await measure(started, await load.prepare(client, seconds), { connections: CONNECTIONS, seconds });
    else await deliver({ client, database, sink, sealed, worker: started, count: DELIVERED });
    return { idleMb, loadedMb: usage(started.pid).rssMb, peakMb: peakMb(started.pid) };
  } finally {
    await started.stop();
  }
}

async function inDatabase(use) {
  const dataDirectory = temporaryDirectory('bench');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  const client = new pg.Client({ connectionString: embedded.url });
  const sinkProcess = forkHere('delivery-sink.mjs');
  try {
    await migrate(database);
    await client.connect();
    await seed(client);
    const hosts = Array.from({ length: PARTNERS }, (_, number) => partnerHost(number));
    await client.query('INSERT INTO peer (host_key) SELECT unnest($1::text[])', [hosts]);
    const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal('SharedSecretOfTheBench');
    const environment = { DATABASE_URL: embedded.url, BLOB_STORE: `file:${join(dataDirectory, 'blobs')}` };
    await use({ environment, client, database, sink: await ask(sinkProcess, {}), sealed });
  } finally {
    sinkProcess.disconnect();
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function printProcess({ app, readyMs, cpuMs, idleMb, loadedMb, peakMb: peak }) {
  const verdicts = [
    readyMs > START_AIM_MS ? `slower than ${START_AIM_MS} ms` : '',
    loadedMb > MEMORY_AIM_MB ? `more than ${MEMORY_AIM_MB} MB` : '',
  ].filter(Boolean);
  console.log(
    `${app.padEnd(18)} ready after ${readyMs.toFixed(0).padStart(5)} ms (${cpuMs.toFixed(0)} ms of processor); ` +
      `${idleMb.toFixed(0)} MB idle, ${loadedMb.toFixed(0)} MB after load, ${peak.toFixed(0)} MB at most` +
      (verdicts.length > 0 && app !== 'bare' ? `; ${verdicts.join(', ')}` : ''),
  );
}

/** @param {{seconds: number, rounds: number}} size */
export async function measureProcesses({ seconds, rounds }) {
  const rows = [];
  await inDatabase(async (world) => {
    for (const app of Object.keys(LOADS)) {
      const start = await measureStart(app, world.environment, rounds);
      rows.push({ app, ...start, ...(await measureMemory(app, world, seconds)) });
      printProcess(rows.at(-1));
    }
  });
  const results = join(dirname(fileURLToPath(import.meta.url)), 'results');
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'processes.json'), `${JSON.stringify(rows, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '10' }, rounds: { type: 'string', default: '5' } },
  });
  await measureProcesses({ seconds: Number(values.seconds), rounds: Number(values.rounds) });
}
