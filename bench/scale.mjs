#!/usr/bin/env node
// Plans and times of the hot statements in organisations of several sizes, in turn. Writes results/scale.json.
//   node bench/scale.mjs [--shares 10000,1000000] [--times 200] [--stale]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate, SESSION_OPTIONS } from '#persistence';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { describeMachine } from './instrument/machine.mjs';
import { percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { hotStatements } from './scale/hot-statements.mjs';
import { loadOrganisation } from './scale/load.mjs';
import { explain, latencies } from './scale/plans.mjs';

// All statements are declared when the library is loaded.
const { declaredStatements } = createRequire(import.meta.url)('../dist/libs/persistence/src/statement.js');

const SIZES = `SELECT relname AS name, pg_table_size(oid)::float8 / 2^20 AS "tableMb", pg_indexes_size(oid)::float8 / 2^20 AS "indexMb"
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_total_relation_size(oid) > 2^20 ORDER BY 2 DESC`;

/** Turns of each statement between the sizes. */
const ROUNDS = 10;

const { values } = parseArgs({
  options: {
    shares: { type: 'string', default: '10000,1000000' },
    times: { type: 'string', default: '200' },
    stale: { type: 'boolean', default: false },
  },
});

/** An organisation of this size in its own database server. */
async function openSize(shares) {
  const dataDirectory = temporaryDirectory('scale');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const client = new pg.Client({ connectionString: embedded.url, options: SESSION_OPTIONS });
  const close = async () => {
    await client.end();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  try {
    const database = await Database.connect({ url: embedded.url, poolSize: 4, applicationName: 'bench' });
    await migrate(database);
    await database.close();
    const { rows, seconds } = await loadOrganisation(embedded.url, shares, { analyze: !values.stale });
    console.log(`${shares} shares, loaded in ${seconds.toFixed(0)} s`);
    await client.connect();
    const statements = await hotStatements(client, declaredStatements());
    return { shares, rows, seconds, client, statements, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function plansOf({ client }, statement) {
  const custom = await explain(client, statement, 'custom');
  const generic = await explain(client, statement, 'generic');
  const scanned = [...new Set([...custom.scanned, ...generic.scanned])];
  return { buffers: custom.buffers, genericBuffers: generic.buffers, scanned };
}

/**
 * Measures one statement in all sizes, in turn, so that other load of the machine affects all of them.
 *
 * @returns a row for each size. `ratio` has the p50 of a size divided by that of the first size, in each round
 */
async function measureStatement(sizes, index) {
  const rounds = sizes.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, { client, statements }] of sizes.entries())
      rounds[at].push(await latencies(client, statements[index], Math.ceil(Number(values.times) / ROUNDS)));
  const p50sOf = (at) => rounds[at].map((taken) => percentile(taken.toSorted(), 0.5));
  return Promise.all(
    sizes.map(async (size, at) => {
      const all = Float64Array.from(rounds[at].flatMap((taken) => [...taken])).sort();
      const pairs = p50sOf(at).map((p50, round) => [p50, p50sOf(0)[round]]);
      return {
        name: size.statements[index].name,
        p50: percentile(all, 0.5),
        p99: percentile(all, 0.99),
        first: rounds[at][0][0],
        ratio: ratioOfPairs(pairs),
        ...(await plansOf(size, size.statements[index])),
      };
    }),
  );
}

function print({ shares }, { name, p50, p99, ratio, buffers, genericBuffers, scanned }) {
  const scans = scanned.length > 0 ? `  reads all of ${scanned.join(', ')}` : '';
  const times = `${p50.toFixed(2).padStart(9)} ms${p99.toFixed(2).padStart(9)} ms`;
  const { ratio: middle, low, high } = ratio;
  const interval = `${middle.toFixed(2).padStart(7)} (${low.toFixed(2)}-${high.toFixed(2)})`;
  const pages = `${String(buffers).padStart(9)}${String(genericBuffers).padStart(9)}`;
  console.log(`${name.padEnd(38)}${String(shares).padStart(9)}${times}${interval}${pages}${scans}`);
}

const sizes = [];
try {
  for (const shares of values.shares.split(',').map(Number)) sizes.push(await openSize(shares));
  console.log('\nStatement, shares, p50, p99, p50 beside the first size, pages of both plans');
  const measured = sizes.map(() => []);
  for (const index of sizes[0].statements.keys())
    for (const [at, row] of (await measureStatement(sizes, index)).entries()) {
      measured[at].push(row);
      print(sizes[at], row);
    }
  const report = [];
  for (const [at, { shares, rows, seconds, client }] of sizes.entries())
    report.push({ shares, rows, seconds, statements: measured[at], sizes: (await client.query(SIZES)).rows });
  const results = join(dirname(fileURLToPath(import.meta.url)), 'results');
  mkdirSync(results, { recursive: true });
  const content = { machine: describeMachine(), stale: values.stale, sizes: report };
  writeFileSync(join(results, 'scale.json'), `${JSON.stringify(content, null, 1)}\n`);
} finally {
  for (const { close } of sizes) await close();
}
