import type { Database } from './database';
import { MIGRATIONS } from './migrations';

/** Held while migrations run, so that of many processes started together one migrates and the others wait. */
const MIGRATION_LOCK = 7_421_190_001;

/**
 * Brings the schema up to this version.
 * @returns names of the migrations that were run now, oldest first
 */
export async function migrate(database: Database): Promise<string[]> {
  const runner = database.dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return (await database.dataSource.runMigrations()).map((migration) => migration.name);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

/**
 * Names of the migrations that this version needs and the database lacks.
 * A database that is ahead of this version lacks none: old and new replicas run side by side during an upgrade.
 */
export async function missingMigrations(database: Database): Promise<string[]> {
  const known = await database.dataSource.query<{ present: boolean }[]>(
    `SELECT to_regclass('schema_migration') IS NOT NULL AS present`,
  );
  const done = known[0]?.present
    ? await database.dataSource.query<{ name: string }[]>('SELECT name FROM schema_migration')
    : [];
  const names = new Set(done.map((row) => row.name));
  return MIGRATIONS.map((migration) => migration.name).filter((name) => !names.has(name));
}
