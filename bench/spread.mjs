#!/usr/bin/env node
// Measures several share-api processes on one database: the same connections are spread over their ports. The baseline
// is a single process, measured in turn. Part of run.mjs; also alone: node bench/spread.mjs [--seconds N] [--rounds N]
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { startApp } from './app-processes.mjs';
import { SHARE_CASES } from './cases.mjs';
import { limitProcessor, removeLimit } from './instrument/quota.mjs';
import { postgresCpuMs } from './instrument/processor-time.mjs';
import { combined, measure } from './measure.mjs';
import { printRow, printTitle } from './report.mjs';
import { errorAt, fitScalability } from './scale/scalability-law.mjs';
import { seed } from './seed.mjs';

const CONNECTIONS = 16;
const COUNTS = [1, 2, 4, 8];
/**
 * Part of all processors that one process may use. Eight of them take four tenths then, and leave enough for PostgreSQL
 * and the load generator.
 */
const PART = 1 / 20;
const CASES = ['one share', 'list of 100', 'create'];

/** The case for the option --case. It has no aim: the result depends on the number of processors. */
export const SPREAD = { case: 'share-api processes' };

/** Measures all processes at the same time, each with its part of the connections. */
async function measureTogether(processes, one, { client, cluster }, seconds) {
  const share = { connections: CONNECTIONS / processes.length, seconds };
  const request = await one.prepare(client, seconds);
  const before = postgresCpuMs(cluster);
  const parts = await Promise.all(processes.map((app) => measure(app, request, share)));
  const postgresMs = postgresCpuMs(cluster) - before;
  await one.forget?.(client);
  const { perSecond, ...figures } = combined(parts);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return {
    ...figures,
    perSecond: perSecond * processes.length,
    postgresMsPerRequest: postgresMs / count,
  };
}

async function measureCase(one, processes, database, { seconds, rounds }) {
  const parts = new Map(COUNTS.map((count) => [count, []]));
  for (let round = 0; round <= rounds; round++)
    for (const count of COUNTS) {
      const part = await measureTogether(processes.slice(0, count), one, database, seconds);
      // The first measurement only warms up.
      if (round > 0) parts.get(count).push(part);
    }
  const mean = (count, figure) =>
    parts.get(count).reduce((sum, part) => sum + part[figure], 0) / parts.get(count).length;
  return COUNTS.map((count) => ({
    case: `${one.case}, ${SPREAD.case}: ${count}`,
    format: one.format,
    connections: CONNECTIONS,
    processes: count,
    product: mean(count, 'perSecond'),
    baseline: mean(1, 'perSecond'),
    ratio: mean(count, 'perSecond') / mean(1, 'perSecond'),
    p50: mean(count, 'p50'),
    p99: mean(count, 'p99'),
    cpuMsPerRequest: mean(count, 'cpuMsPerRequest'),
    postgresMsPerRequest: mean(count, 'postgresMsPerRequest'),
    rssMb: mean(count, 'rssMb'),
  }));
}

/** Tells the law of the measured sizes, and how well it was foreseen by the law of the smaller ones. */
function printLaw(name, rows) {
  const points = rows.map(({ processes, product }) => ({ processes, perSecond: product }));
  const law = fitScalability(points);
  const foreseen = errorAt(fitScalability(points.slice(0, -1)), points.at(-1));
  const percent = (part) => `${(100 * part).toFixed(1)} %`;
  console.log(
    `${name}: ${law.rate.toFixed(1)} requests per second of one process, contention ${percent(law.contention)}, ` +
      `coherency ${percent(law.coherency)}; the law of ${COUNTS.slice(0, -1).join(', ')} is ${percent(foreseen)} off at ` +
      `${COUNTS.at(-1)}; PostgreSQL takes ${rows.map((row) => row.postgresMsPerRequest.toFixed(2)).join(', ')} ms per request`,
  );
}

/**
 * @param {{seconds: number, rounds: number}} size
 * @returns rows as in results/latest.json
 */
export async function measureSpread(size) {
  const dataDirectory = temporaryDirectory('bench');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  const client = new pg.Client({ connectionString: embedded.url });
  const processes = [];
  try {
    await migrate(database);
    await client.connect();
    await seed(client);
    for (let count = 0; count < Math.max(...COUNTS); count++)
      processes.push(
        await startApp('share-api', { DATABASE_URL: embedded.url, COMPATIBILITY: 'owncloud10' }),
      );
    limitAll(processes);
    const rows = [];
    for (const name of CASES) {
      const one = SHARE_CASES.find((known) => known.case === name && known.format === 'json');
      const cluster = join(dataDirectory, 'postgres');
      const measured = await measureCase(one, processes, { client, cluster }, size);
      printLaw(name, measured);
      rows.push(...measured);
    }
    return rows;
  } finally {
    await Promise.all(processes.map((app) => app.stop()));
    for (const { pid } of processes) removeLimit(pid);
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function limitAll(processes) {
  const part = availableParallelism() * PART;
  const isLimited = processes.map(({ pid }) => limitProcessor(pid, part)).every(Boolean);
  console.log(
    isLimited
      ? `each share-api process has ${part.toFixed(2)} of a processor`
      : 'share-api processes are not limited: that needs root and the processor controller of control groups, version 1',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
  });
  printTitle();
  for (const row of await measureSpread({ seconds: Number(values.seconds), rounds: Number(values.rounds) }))
    printRow(row);
}
