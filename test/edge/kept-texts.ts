import pg from 'pg';

const TABLES = `
  SELECT tablename AS table, quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;

/** All rows of all tables of a gateway, including those of its queues, as text by table. */
export async function keptTexts(databaseUrl: string): Promise<Map<string, string>> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const kept = new Map<string, string>();
    const { rows: tables } = await database.query<{ table: string; name: string }>(TABLES);
    for (const { table, name } of tables) {
      const { rows } = await database.query<{ text: string }>(`SELECT r::text AS text FROM ${name} r`);
      kept.set(table, [kept.get(table), ...rows.map(({ text }) => text)].join('\n'));
    }
    return kept;
  } finally {
    await database.end();
  }
}
