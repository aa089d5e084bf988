#!/usr/bin/env node
// Measures the removal of old rows in batches, as the worker does it, and by dropping partitions. Then it measures how many pages rows that ended cost
// the dispatcher until they are vacuumed. ADR 0251 has the decisions. It takes minutes, so it is not a part of run.mjs:
//   node bench/retention.mjs [--rows N]
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { postgresCpuMs } from './instrument/processor-time.mjs';

// All statements are declared when the library is loaded.
const { declaredStatements } = createRequire(import.meta.url)('../dist/libs/persistence/src/statement.js');

const BATCH = 1000;
const PARTITIONS = 12;
const PARTNERS = 1000;

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);

const TABLES = [
  {
    table: 'outbox_message',
    fill: `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, round, attempts, deadline_at, created_at, finished_at)
      SELECT 'share', n, 1 + n % ${PARTNERS}, 'share-permissions', 1, 'share-permissions:share/' || n || ':1', '{"permissions": 19}', 'delivered', 1, 1, at, at, at
      FROM generate_series(1, $1::int) AS n, LATERAL (SELECT now() - (1 - n / $1::float8) * interval '60 days') AS past (at)`,
    more: `INSERT INTO delivery_attempt (message_id, attempt, round, outcome, endpoint, dialect, http_status, duration_ms)
      SELECT id, 1, 1, 'delivered', 'https://partner.example/ocm/notifications', 'ocm', 201, 20 FROM outbox_message`,
    forget: { name: 'outbox.forget_finished', values: [30, BATCH] },
    at: 'finished_at',
    days: 60,
    find: 'SELECT * FROM %s WHERE id = ANY (ARRAY[900001, 900002, 900003]::bigint[])',
  },
  {
    table: 'audit_event',
    fill: `INSERT INTO audit_event (at, actor_kind, actor, action, object_type, object_id)
      SELECT now() - (1 - n / $1::float8) * interval '730 days', 'user', 'user' || n % 5000, 'share.created', 'share', n::text FROM generate_series(1, $1::int) AS n`,
    forget: { name: 'audit.forget', values: [BATCH] },
    at: 'at',
    days: 730,
    find: `SELECT * FROM %s WHERE object_type = 'share' AND object_id = '900001' ORDER BY id DESC LIMIT 50`,
  },
];

async function measured(world, name, work) {
  const { client, cluster } = world;
  const lsn = async () => (await client.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn;
  await client.query('CHECKPOINT');
  const [before, cpu, startedAt] = [await lsn(), postgresCpuMs(cluster), performance.now()];
  const count = await work();
  const wal = await client.query('SELECT pg_wal_lsn_diff($1, $2)::float8 / 1e6 AS mb', [await lsn(), before]);
  const figures = `${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${((postgresCpuMs(cluster) - cpu) / 1000).toFixed(1)} s of processor time, ${wal.rows[0].mb.toFixed(0)} MB of WAL`;
  console.log(`${name}: ${count === undefined ? '' : `${count} rows, `}${figures}`);
}

const sizeOf = async (client, table) =>
  (await client.query('SELECT pg_total_relation_size($1::regclass)::float8 / 1e6 AS mb', [table])).rows[0].mb;

/** Runs the worker's statement until it finds no more. */
async function inBatches(client, { name, values }) {
  const { text } = declaredStatements().find((one) => one.name === name);
  let total = 0;
  for (;;) {
    const { rowCount } = await client.query({ name, text, values });
    total += rowCount;
    if (rowCount < BATCH) return total;
  }
}

/** Pages and planning of a statement that does not know the time of its rows. */
async function planOf(client, sql) {
  await client.query(`EXPLAIN ${sql}`);
  const [
    {
      'QUERY PLAN': [plan],
    },
  ] = (await client.query(`EXPLAIN (ANALYZE, BUFFERS, SUMMARY, FORMAT JSON) ${sql}`)).rows;
  const pages = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
  return `${pages} pages, planned in ${plan['Planning Time'].toFixed(2)} ms`;
}

async function comparePartitions(world, { table, fill, more, forget, at, days, find }) {
  const { client } = world;
  await client.query(fill, [rows]);
  // Its foreign keys are not checked for each row.
  if (more)
    await client.query(`SET session_replication_role = replica; ${more}; RESET session_replication_role`);
  await client.query(`CREATE TABLE parted (LIKE ${table} INCLUDING DEFAULTS) PARTITION BY RANGE (${at})`);
  const edge = (one) => days + 1 - (one * (days + 2)) / PARTITIONS;
  for (let one = 0; one < PARTITIONS; one++)
    await client.query(
      `DO $$ BEGIN EXECUTE format('CREATE TABLE parted_${one} PARTITION OF parted FOR VALUES FROM (%L) TO (%L)',
        now() - ${edge(one)} * interval '1 day', now() - ${edge(one + 1)} * interval '1 day'); END $$`,
    );
  await client.query(`INSERT INTO parted SELECT * FROM ${table}`);
  const { rows: indexes } = await client.query('SELECT indexdef FROM pg_indexes WHERE tablename = $1', [
    table,
  ]);
  for (const { indexdef } of indexes)
    await client.query(
      indexdef.replace(/UNIQUE INDEX/, 'INDEX').replace(/INDEX (\S+) ON \S+/, 'INDEX parted_$1 ON parted'),
    );
  await client.query(`VACUUM ANALYZE ${table}, parted`);
  console.log(`${table}: ${rows} rows, ${(await sizeOf(client, table)).toFixed(0)} MB`);
  console.log(`  a look-up: ${await planOf(client, find.replace('%s', table))}`);
  console.log(
    `  the same in ${PARTITIONS} partitions: ${await planOf(client, find.replace('%s', 'parted'))}`,
  );
  await measured(world, '  in batches', () => inBatches(client, forget));
  await measured(world, '  then its vacuum', async () => void (await client.query(`VACUUM ${table}`)));
  console.log(`  afterwards ${(await sizeOf(client, table)).toFixed(0)} MB`);
  await client.query(fill.replaceAll('|| n ||', '|| -n ||'), [rows / 2]);
  console.log(`  with as many new rows again ${(await sizeOf(client, table)).toFixed(0)} MB`);
  await measured(world, '  by dropping partitions', async () => {
    for (let one = 0; one < PARTITIONS / 2; one++) await client.query(`DROP TABLE parted_${one}`);
  });
  await client.query('DROP TABLE parted');
}

const FIRST = `SELECT a.id, (SELECT m.available_at FROM outbox_message m WHERE m.peer_id = a.id AND m.state = 'pending'
  ORDER BY m.available_at LIMIT 1), (SELECT count(*) FROM outbox_message m WHERE m.peer_id = a.id AND m.state IN ('queued', 'inflight'))
  FROM peer a WHERE a.id <= 200`;
const CYCLE = [
  `UPDATE outbox_message SET state = 'queued', round = 1, lease_until = now() + interval '1 minute' WHERE id BETWEEN $1 AND $2`,
  `UPDATE outbox_message SET state = 'inflight', lease_until = now() + interval '2 minutes' WHERE id BETWEEN $1 AND $2`,
  `UPDATE outbox_message SET state = 'delivered', lease_until = NULL, finished_at = now() WHERE id BETWEEN $1 AND $2`,
];

/** Pages that a look at 200 partners reads while messages are delivered. */
async function measureDead({ client }) {
  await client.query(`ALTER TABLE outbox_message SET (autovacuum_enabled = off)`);
  await client.query(
    `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
     SELECT 'share', n, 1 + n % ${PARTNERS}, 'share-permissions', 1, 'waiting-' || n, '{"permissions": 19}', now() + interval '1 day'
     FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
  await client.query('VACUUM ANALYZE outbox_message');
  const first = Number((await client.query('SELECT min(id) AS id FROM outbox_message')).rows[0].id);
  // A look marks index entries of dead rows, so that the next one does not read their rows.
  const dead = async () =>
    `${await planOf(client, FIRST)}; again: ${await planOf(client, FIRST)}; ${(await sizeOf(client, 'outbox_message')).toFixed(0)} MB`;
  console.log(`a look at 200 of ${PARTNERS} partners with ${rows} waiting messages: ${await dead()}`);
  let done = 0;
  for (const until of [0.01, 0.05, 0.1, 0.2].map((part) => part * rows)) {
    for (; done < until; done += BATCH)
      for (const step of CYCLE) await client.query(step, [first + done, first + done + BATCH - 1]);
    console.log(`  after ${done} deliveries (${3 * done} dead rows): ${await dead()}`);
  }
  await client.query('VACUUM outbox_message');
  console.log(`  after a vacuum: ${await dead()}`);
}

const dataDirectory = temporaryDirectory('bench');
const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
const client = new pg.Client({ connectionString: embedded.url });
try {
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  await migrate(database).finally(() => database.close());
  await client.connect();
  const world = { client, cluster: join(dataDirectory, 'postgres') };
  await client.query(
    `INSERT INTO peer (host_key) SELECT 'p' || n || '.example' FROM generate_series(1, ${PARTNERS}) AS n`,
  );
  await measureDead(world);
  await client.query(
    'ALTER TABLE outbox_message RESET (autovacuum_enabled); TRUNCATE outbox_message CASCADE',
  );
  for (const one of TABLES) await comparePartitions(world, one);
} finally {
  await client.end();
  await embedded.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
