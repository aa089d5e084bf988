#!/usr/bin/env node
// Measures several share-api processes on one database: the same connections are spread over their ports. The baseline
// is a single process, measured in turn. Part of run.mjs; also alone: node bench/spread.mjs [--seconds N] [--rounds N]
import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { startApp } from './app-processes.mjs';
import { SHARE_CASES } from './cases.mjs';
import { combined, measure } from './measure.mjs';
import { printRow, printTitle } from './report.mjs';
import { seed } from './seed.mjs';

const CONNECTIONS = 16;
const COUNTS = [1, 2, 4];
const CASES = ['one share', 'list of 100', 'create'];

/** The case for the option --case. It has no aim: the result depends on the number of processors. */
export const SPREAD = { case: 'share-api processes' };

/** Measures all processes at the same time, each with its part of the connections. */
async function measureTogether(processes, one, client, seconds) {
  const share = { connections: CONNECTIONS / processes.length, seconds };
  const request = await one.prepare(client, seconds);
  const parts = await Promise.all(processes.map((app) => measure(app, request, share)));
  await one.forget?.(client);
  const { perSecond, ...figures } = combined(parts);
  return { ...figures, perSecond: perSecond * processes.length };
}

async function measureCase(one, processes, client, { seconds, rounds }) {
  const parts = new Map(COUNTS.map((count) => [count, []]));
  for (let round = 0; round <= rounds; round++)
    for (const count of COUNTS) {
      const part = await measureTogether(processes.slice(0, count), one, client, seconds);
      // The first measurement only warms up.
      if (round > 0) parts.get(count).push(part);
    }
  const mean = (count, figure) =>
    parts.get(count).reduce((sum, part) => sum + part[figure], 0) / parts.get(count).length;
  return COUNTS.map((count) => ({
    case: `${one.case}, ${SPREAD.case}: ${count}`,
    format: one.format,
    connections: CONNECTIONS,
    product: mean(count, 'perSecond'),
    baseline: mean(1, 'perSecond'),
    ratio: mean(count, 'perSecond') / mean(1, 'perSecond'),
    p50: mean(count, 'p50'),
    p99: mean(count, 'p99'),
    cpuMsPerRequest: mean(count, 'cpuMsPerRequest'),
    rssMb: mean(count, 'rssMb'),
  }));
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
    const rows = [];
    for (const name of CASES) {
      const one = SHARE_CASES.find((known) => known.case === name && known.format === 'json');
      rows.push(...(await measureCase(one, processes, client, size)));
    }
    return rows;
  } finally {
    await Promise.all(processes.map((app) => app.stop()));
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
  });
  printTitle();
  for (const row of await measureSpread({ seconds: Number(values.seconds), rounds: Number(values.rounds) }))
    printRow(row);
}
