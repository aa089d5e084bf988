// Loads an organisation into a migrated database: without triggers, and with indexes that are made when all rows are there.
import pg from 'pg';
import { TableWriter } from './copy-in.mjs';
import { Organisation, PROBES } from './organisation.mjs';
import { columnsOf, TABLES } from './tables.mjs';

const SECONDARY = `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i WHERE i.indrelid = ANY ($1::regclass[])
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`;

const IDENTITIES = ['storage', 'peer', 'node', 'share', 'received_share', 'outbox_message'];

async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // The rows are complete, so triggers would only cost time.
  await client.query('SET session_replication_role = replica');
  return client;
}

async function copyAll(url, shares) {
  const clients = await Promise.all(TABLES.map(() => connect(url)));
  try {
    const writers = new Map(
      TABLES.map((table, index) => [table, new TableWriter(clients[index], table, columnsOf(table))]),
    );
    const organisation = new Organisation(shares, (table, values) => writers.get(table).write(values));
    await organisation.write();
    const rows = {};
    for (const [table, writer] of writers) rows[table] = await writer.end();
    return rows;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/**
 * @param {string} url of an empty, migrated database
 * @param {number} shares
 * @param {{analyze?: boolean}} options without `analyze` the planner has the statistics of empty tables
 * @returns {Promise<{rows: Record<string, number>, seconds: number}>}
 */
export async function loadOrganisation(url, shares, { analyze = true } = {}) {
  const startedAt = performance.now();
  const admin = await connect(url);
  try {
    for (const table of TABLES)
      await admin.query(`ALTER TABLE ${table} SET (autovacuum_enabled = ${analyze})`);
    // The peers of the program's own partner tests are none of these: the tables are empty but for the administrator.
    const { rows: indexes } = await admin.query(SECONDARY, [TABLES]);
    for (const { name } of indexes) await admin.query(`DROP INDEX ${name}`);
    const rows = await copyAll(url, shares);
    await admin.query("SET maintenance_work_mem = '512MB'");
    for (const { definition } of indexes) await admin.query(definition);
    for (const table of IDENTITIES)
      await admin.query(
        `SELECT setval(pg_get_serial_sequence($1, 'id'), (SELECT coalesce(max(id), 1) FROM ${table}))`,
        [table],
      );
    // As after the first look at their tree.
    await admin.query(
      'UPDATE group_member SET settled_up_to = (SELECT max(id) FROM share) WHERE uid = ANY($1)',
      [Object.keys(PROBES)],
    );
    if (analyze) await admin.query('VACUUM ANALYZE');
    return { rows, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await admin.end();
  }
}
