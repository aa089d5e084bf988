// The cost of one request: processor time by stage, round trips and statements, time in Postgres, allocated bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresCpuMs } from '../instrument/processor-time.mjs';
import { sum } from '../instrument/statistics.mjs';
import { flameGraphOf } from './flame-graph.mjs';
import { order } from './orders.mjs';
import { stageOf, timeBy } from './stages.mjs';

const FUNCTIONS = 25;
/** Stages that are no part of a request: waiting, and the start of the profiler. */
const NO_WORK = ['idle', 'instrument'];
const LEADING_PATH = /file:\/\/\S*?(?=\/(?:dist|node_modules|bench)\/)/;

const STATEMENTS = `SELECT query, calls::float8, total_exec_time + total_plan_time AS ms, rows::float8,
    shared_blks_hit::float8 AS hit, shared_blks_read::float8 AS read, wal_bytes::float8 AS wal
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND query NOT LIKE '%pg_stat_statements%' ORDER BY total_exec_time + total_plan_time DESC`;

async function countStatements(database) {
  await database.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await database.query('ALTER SYSTEM SET pg_stat_statements.track_planning = on');
  await database.query('SELECT pg_reload_conf()');
  await database.query('SELECT pg_stat_statements_reset()');
}

const perRequest = (rows, count) =>
  rows
    .map(({ query, calls, ms, rows: found, hit, read, wal }) => ({
      statement: query.replace(/\s+/g, ' ').slice(0, 100),
      calls: calls / count,
      ms: ms / count,
      rows: found / count,
      buffers: (hit + read) / count,
      walBytes: wal / count,
    }))
    .filter(({ calls }) => calls > 0.05);

const total = (statements, figure) => sum(statements.map((one) => one[figure]));

/**
 * Milliseconds per request of each stage, the largest first; without waiting. Samples are scaled to the processor time of a request: in a process that
 * does not keep its processor, they also count the time for which others had it.
 */
function stagesOf(profile, processorMs) {
  const times = timeBy(profile, stageOf);
  for (const stage of NO_WORK) times.delete(stage);
  const whole = sum([...times.values()]);
  const stages = [...times].map(([stage, us]) => [stage, (us / whole) * processorMs]);
  return Object.fromEntries(stages.sort(([, one], [, other]) => other - one));
}

function topFunctions(profile, processorMs) {
  const times = [...timeBy(profile, ([innermost]) => innermost)].filter(
    ([name]) => !name.startsWith('(idle)'),
  );
  const whole = sum(times.map(([, us]) => us));
  return times
    .sort(([, one], [, other]) => other - one)
    .slice(0, FUNCTIONS)
    .map(([name, us]) => ({ function: name.replace(LEADING_PATH, ''), ms: (us / whole) * processorMs }));
}

const logPosition = async (database) =>
  (await database.query('SELECT pg_current_wal_insert_lsn()::text AS position')).rows[0].position;

/** Bytes that PostgreSQL has written to its log: rows, their entries in indexes, and whole pages after a checkpoint. */
const logSince = async (database, before) =>
  (await database.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 AS bytes', [before]))
    .rows[0].bytes;

/**
 * The ledger of a case. The same load runs three times: counted, with the processor profiled, and with allocations sampled,
 * since each of these disturbs the others.
 *
 * @param {{agent: string, cluster: string, database: import('pg').Client}} profiled socket of its agent, and its cluster
 * @param {() => Promise<{count: number}>} load sends the load once
 * @returns {Promise<{ledger: object, profile: object}>}
 */
export async function takeLedger({ agent, cluster, database }, load) {
  await countStatements(database);
  const postgresBefore = postgresCpuMs(cluster);
  const logBefore = await logPosition(database);
  await order(agent, 'count');
  const { count } = await load();
  const { cpuMs: processor, collectedMs, roundTrips } = await order(agent, 'counted');
  const postgresMs = postgresCpuMs(cluster) - postgresBefore;
  const logBytes = await logSince(database, logBefore);
  const statements = perRequest((await database.query(STATEMENTS)).rows, count);
  const { keepsProcessor } = await order(agent, 'processor');
  await load();
  const { profile } = await order(agent, 'processed');
  await order(agent, 'allocations');
  const sampled = await load();
  const { bytes } = await order(agent, 'allocated');
  const ledger = {
    requests: count,
    processorMs: processor / count,
    keepsProcessor,
    stages: stagesOf(profile, processor / count),
    collectionMs: collectedMs / count,
    allocatedBytes: bytes / sampled.count,
    roundTrips: roundTrips / count,
    statements: total(statements, 'calls'),
    postgresMs: total(statements, 'ms'),
    postgresProcessorMs: postgresMs / count,
    logBytes: logBytes / count,
    byStatement: statements,
    byFunction: topFunctions(profile, processor / count),
  };
  return { ledger, profile };
}

/** Files of a profile: the flame graph, the profile for browsers, and the ledger. @returns their common part */
export function writeProfile(directory, name, { ledger, profile }) {
  const folder = join(directory, 'profiles');
  mkdirSync(folder, { recursive: true });
  const stem = join(
    folder,
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, ''),
  );
  writeFileSync(`${stem}.svg`, flameGraphOf(profile));
  writeFileSync(`${stem}.cpuprofile`, JSON.stringify(profile));
  writeFileSync(`${stem}.json`, `${JSON.stringify(ledger, null, 1)}\n`);
  return stem;
}

const figure = (number, digits = 3) => number.toFixed(digits);

/** The ledger as text for the terminal. */
export function printLedger(ledger) {
  const { processorMs, allocatedBytes, roundTrips, statements, postgresMs, postgresProcessorMs, logBytes } =
    ledger;
  console.log(
    `  per request: ${figure(processorMs)} ms of processor, ${Math.round(allocatedBytes / 1024)} kB allocated, ` +
      `${figure(roundTrips, 1)} round trips, ${figure(statements, 1)} statements of ${figure(postgresMs)} ms ` +
      `(Postgres took ${figure(postgresProcessorMs)} ms of processor, and wrote ${(logBytes / 1024).toFixed(1)} kB of log)`,
  );
  const stages = Object.entries(ledger.stages).filter(([, ms]) => ms > 0.002);
  console.log(`    ${stages.map(([stage, ms]) => `${stage} ${figure(ms)}`).join(', ')}`);
  if (!ledger.keepsProcessor)
    console.log(
      '    by elapsed time, since only root may let the process keep its processor: writes seem to take longer',
    );
  for (const { statement, calls, ms, buffers } of ledger.byStatement.slice(0, 8))
    console.log(
      `    ${figure(ms)} ms, ${figure(calls, 1)} calls, ${figure(buffers, 0)} buffers: ${statement}`,
    );
}
