// Plans and times of statements.
/** Tables whose rows grow with the organisation: no hot statement may read one from end to end. */
const GROWING = [
  ...['user_account', 'group_member', 'storage', 'node', 'share', 'share_recipient', 'received_share'],
  ...['outbox_message', 'delivery_attempt', 'notification', 'audit_event'],
];

const element = (value) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`);
const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;

/** A value as an SQL literal, for any type. */
function literal(value) {
  if (value === null || value === undefined) return 'NULL';
  if (Buffer.isBuffer(value)) return quoted(`\\x${value.toString('hex')}`);
  if (Array.isArray(value)) return quoted(`{${value.map(element).join(',')}}`);
  return quoted(typeof value === 'object' ? JSON.stringify(value) : value);
}

const flat = (plan) => [plan, ...(plan.Plans ?? []).flatMap(flat)];

/** Runs `work` in a transaction that is rolled back. */
async function undone(client, work) {
  await client.query('BEGIN');
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Rows that this transaction read in tables so far, also in functions and triggers. */
async function rowsRead(client) {
  const { rows } = await client.query(
    'SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float AS read FROM pg_stat_xact_user_tables',
  );
  return rows[0].read;
}

/**
 * How Postgres runs a prepared statement: with a plan for these values (`custom`), or with the plan for all values (`generic`), which it
 * may turn to after five executions.
 *
 * @returns {Promise<{scanned: string[], rows: number, read: number, buffers: number, ms: number, planMs: number, plan: object}>} `scanned`: growing
 *   tables that are read from end to end; `read`: rows that are read in tables
 */
export function explain(client, { text, values }, mode) {
  return undone(client, async () => {
    await client.query(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
    await client.query(`PREPARE explained AS ${text}`);
    const list = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const before = await rowsRead(client);
    const answer = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained${list}`);
    const read = (await rowsRead(client)) - before;
    await client.query('DEALLOCATE explained');
    const [{ Plan: plan, 'Execution Time': ms, 'Planning Time': planMs }] = answer.rows[0]['QUERY PLAN'];
    const scans = flat(plan).filter(
      (node) =>
        node['Node Type'] === 'Seq Scan' &&
        node['Actual Loops'] > 0 &&
        GROWING.includes(node['Relation Name']),
    );
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const { 'Actual Rows': rows } = plan;
    return { scanned: scans.map((node) => node['Relation Name']), rows, read, buffers, ms, planMs, plan };
  });
}

/**
 * Tables that the plan for all values reads from end to end. The statement is not run.
 * @param {{text: string, order: readonly string[]}} statement
 * @returns {Promise<string[]>}
 */
export function plannedScans(client, { text, order }) {
  return undone(client, async () => {
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE planned AS ${text}`);
    const list = order.length > 0 ? `(${order.map(() => 'NULL').join(', ')})` : '';
    const answer = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE planned${list}`);
    await client.query('DEALLOCATE planned');
    const scans = flat(answer.rows[0]['QUERY PLAN'][0].Plan).filter(
      (node) => node['Node Type'] === 'Seq Scan',
    );
    return scans.map((node) => node['Relation Name']);
  });
}

/** Milliseconds of each run of a statement, as the product runs it. @param {number} times @returns {Promise<Float64Array>} */
export async function latencies(client, { name, text, values }, times) {
  const taken = new Float64Array(times);
  for (let time = 0; time < times; time++)
    await undone(client, async () => {
      const startedAt = performance.now();
      await client.query({ name, text, values });
      taken[time] = performance.now() - startedAt;
    });
  return taken;
}
