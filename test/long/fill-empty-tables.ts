import type pg from 'pg';

interface ColumnOfTable {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Names a column of another table for a foreign key, as `table.column`. */
  readonly refers: string | null;
}

/** A value of each type, for the row `n`. A fiftieth of the points in time is in the past. */
const VALUES: Readonly<Record<string, string>> = {
  bigint: 'n',
  integer: 'n % 1000',
  smallint: 'n % 4',
  text: `'v' || n`,
  bytea: `decode(md5(n::text), 'hex')`,
  uuid: 'md5(n::text)::uuid',
  boolean: 'n % 10 = 0',
  'timestamp with time zone': `now() + (n - :rows / 50) * interval '1 minute'`,
  date: `current_date + (n % 100 - 2)::int`,
  jsonb: `'{}'::jsonb`,
  json: `'{}'::json`,
  'double precision': 'n',
  'character varying': `'v' || n`,
  inet: `'127.0.0.1'::inet`,
  interval: `n * interval '1 second'`,
  numeric: 'n',
  real: 'n',
};

const COLUMNS = `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
    (SELECT f.confrelid::regclass || '.' || r.attname FROM pg_constraint f JOIN pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = f.confkey[1]
     WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.conkey = ARRAY[a.attnum] LIMIT 1) AS refers
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
    AND a.attidentity = '' AND a.attgenerated = ''
  ORDER BY c.relname, a.attnum`;

const CHECKS = `SELECT c.conrelid::regclass::text AS "table", c.conname AS name, pg_get_constraintdef(c.oid) AS definition
  FROM pg_constraint c WHERE c.contype = 'c' AND c.connamespace = 'public'::regnamespace AND c.coninhcount = 0`;

/**
 * Fills each empty table of a database that a test throws away. The values have the right types, states that exist, and refer to rows that exist;
 * the other conditions of the tables are removed.
 * @returns the names of the filled tables
 */
export async function fillEmptyTables(client: pg.Client, rows: number): Promise<string[]> {
  await client.query('SET session_replication_role = replica');
  const { rows: columns } = await client.query<ColumnOfTable>(COLUMNS);
  const { rows: checks } = await client.query<{ table: string; name: string; definition: string }>(CHECKS);
  const chosen = new Map<string, string>();
  for (const { table, name, definition } of checks) {
    const [, column, list] = /\(\(?"?(\w+)"? = ANY \(ARRAY\[(.+?)\]\)/.exec(definition) ?? [];
    if (column && list) chosen.set(`${table}.${column}`, list);
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  }
  const filled: string[] = [];
  for (const table of new Set(columns.map((column) => column.table))) {
    const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount) continue;
    const own = columns.filter((column) => column.table === table);
    const values = own.map(({ column, type, refers }) => {
      const list = chosen.get(`${table}.${column}`);
      if (list) return `(ARRAY[${list}])[1 + n % ${list.split(',').length}]`;
      const [other, key] = refers?.split('.') ?? [];
      if (other)
        return `(ARRAY(SELECT ${key} FROM ${other} LIMIT 20000))[1 + n % (SELECT least(count(*), 20000) FROM ${other})]`;
      if (type.endsWith('[]')) return `'{}'`;
      const value = VALUES[type];
      if (!value) throw new Error(`${table}.${column}: no values for the type ${type}`);
      return value.replaceAll(':rows', String(rows));
    });
    await client.query(
      `INSERT INTO ${table} (${own.map(({ column }) => `"${column}"`).join()}) SELECT ${values.join()} FROM generate_series(1, ${rows}) AS n
       ON CONFLICT DO NOTHING`,
    );
    filled.push(table);
  }
  await client.query('SET session_replication_role = origin');
  return filled;
}
