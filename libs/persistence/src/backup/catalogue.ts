import { statement } from '../statement';
import { array, bool, type RowOf, text } from '../postgres-types';

/** A table in a backup. */
const BACKED_UP_TABLE = {
  name: text,
  /** Stored columns only; computed ones are left out. */
  columns: array(text),
};
export type BackedUpTable = RowOf<typeof BACKED_UP_TABLE>;

/** Left by an interrupted restore; see UnfinishedRestore. */
export const UNFINISHED_RESTORE = 'restore_under_way';

// Leaves out two kinds of tables: the records of the schema, which a restore makes again, and unlogged tables, which a crash empties, too.
const TABLES = statement({
  name: 'backup.tables',
  row: { ...BACKED_UP_TABLE, needs: array(text) },
  sql: `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
     ARRAY(SELECT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
           WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
   WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     AND c.relpersistence = 'p' AND c.relname NOT IN ('schema_migration', 'schema_function', '${UNFINISHED_RESTORE}')
   GROUP BY c.oid, c.relname ORDER BY c.relname`,
});

/** Every relation except the mark of an interrupted restore. */
const RELATIONS = statement({
  name: 'backup.relations',
  row: { name: text },
  sql: `SELECT relname::text AS name FROM pg_class
   WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
     AND relname <> '${UNFINISHED_RESTORE}' ORDER BY 1 LIMIT 1`,
});

/** Older schemas have no versions of files. */
const HAS_VERSIONS = statement({
  name: 'backup.has_versions',
  row: { has: bool },
  sql: `SELECT to_regclass('file_version') IS NOT NULL AS has`,
});

/** Older schemas have no contents that wait for partners. */
const HAS_STORED_WRITES = statement({
  name: 'backup.has_stored_writes',
  row: { has: bool },
  sql: `SELECT to_regclass('stored_write') IS NOT NULL AS has`,
});

/** Queries of backups to the catalogue of Postgres. */
export const CATALOGUE = {
  tables: TABLES,
  relations: RELATIONS,
  hasVersions: HAS_VERSIONS,
  hasStoredWrites: HAS_STORED_WRITES,
} as const;

/**
 * Sorts the tables so that none refers to a later one, and each can be filled at once.
 * @throws Error if tables refer to one another in a circle
 */
export function inOrderOfReferences(
  tables: readonly (BackedUpTable & { readonly needs: readonly string[] })[],
): BackedUpTable[] {
  const ordered: BackedUpTable[] = [];
  let left = tables;
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ needs }) => !needs.some((name) => names.has(name)));
    if (free.length === 0) throw new Error(`tables refer to one another: ${[...names].join(', ')}`);
    ordered.push(...free.map(({ name, columns }) => ({ name, columns })));
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}

/** Names from the catalogue are our own, but are quoted nevertheless. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns text such as `"share" ("id", "node_id")`. */
export const columnsOf = ({ columns }: BackedUpTable): string => columns.map(quoted).join(', ');
