const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type, a.attnotnull AS "isRequired",
    EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)) AS "isKey",
    (SELECT k.confrelid::regclass::text FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]) AS "refersTo"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migration'
  ORDER BY c.relname, a.attnum`;

/**
 * Reads the tables and columns of a migrated database.
 * @param {import('pg').Client} client
 * @returns {Promise<Map<string, {name: string, type: string, isRequired: boolean, isKey: boolean, refersTo: string | null}[]>>}
 *   columns by table
 */
export async function describeSchema(client) {
  const tables = new Map();
  for (const { table, ...column } of (await client.query(COLUMNS)).rows)
    tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}
