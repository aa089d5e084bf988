#!/usr/bin/env node
// Plans and times of the hot statements in organisations of several sizes. Writes results/scale.json.
//   node bench/scale.mjs [--shares 10000,1000000] [--times 200] [--stale]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { describeMachine } from './instrument/machine.mjs';
import { hotStatements } from './scale/hot-statements.mjs';
import { loadOrganisation } from './scale/load.mjs';
import { explain, latencies } from './scale/plans.mjs';

// All statements are declared when the library is loaded.
const { declaredStatements } = createRequire(import.meta.url)('../dist/libs/persistence/src/statement.js');

const SIZES = `SELECT relname AS name, pg_table_size(oid)::float8 / 2^20 AS "tableMb", pg_indexes_size(oid)::float8 / 2^20 AS "indexMb"
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_total_relation_size(oid) > 2^20 ORDER BY 2 DESC`;

const { values } = parseArgs({
  options: {
    shares: { type: 'string', default: '10000,1000000' },
    times: { type: 'string', default: '200' },
    stale: { type: 'boolean', default: false },
  },
});

async function measureStatement(client, statement, times) {
  const custom = await explain(client, statement, 'custom');
  const generic = await explain(client, statement, 'generic');
  const { p50, p99, first } = await latencies(client, statement, times);
  const scanned = [...new Set([...custom.scanned, ...generic.scanned])];
  return {
    name: statement.name,
    p50,
    p99,
    first,
    buffers: custom.buffers,
    genericBuffers: generic.buffers,
    scanned,
  };
}

function print({ name, p50, p99, buffers, genericBuffers, scanned }) {
  const scans = scanned.length > 0 ? `  reads all of ${scanned.join(', ')}` : '';
  console.log(
    `${name.padEnd(38)}${p50.toFixed(2).padStart(9)} ms${p99.toFixed(2).padStart(9)} ms${String(buffers).padStart(9)}${String(genericBuffers).padStart(9)}${scans}`,
  );
}

async function measureSize(shares) {
  const dataDirectory = temporaryDirectory('scale');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const client = new pg.Client({ connectionString: embedded.url });
  try {
    const database = await Database.connect({ url: embedded.url, poolSize: 4, applicationName: 'bench' });
    await migrate(database);
    await database.close();
    const { rows, seconds } = await loadOrganisation(embedded.url, shares, { analyze: !values.stale });
    console.log(`\n${shares} shares, loaded in ${seconds.toFixed(0)} s: p50, p99, pages of both plans`);
    await client.connect();
    const statements = [];
    for (const one of await hotStatements(client, declaredStatements())) {
      statements.push(await measureStatement(client, one, Number(values.times)));
      print(statements.at(-1));
    }
    return { shares, rows, seconds, statements, sizes: (await client.query(SIZES)).rows };
  } finally {
    await client.end();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

const sizes = [];
for (const shares of values.shares.split(',').map(Number)) sizes.push(await measureSize(shares));
const results = join(dirname(fileURLToPath(import.meta.url)), 'results');
mkdirSync(results, { recursive: true });
const report = { machine: describeMachine(), stale: values.stale, sizes };
writeFileSync(join(results, 'scale.json'), `${JSON.stringify(report, null, 1)}\n`);
