import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '#platform';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { UnfinishedRestore } from './backup/unfinished-restore';
import type { Database } from './database';
import { MIGRATIONS } from './migrations';

/** Held while migrations run, so that of many processes started together one migrates and the others wait. */
const MIGRATION_LOCK = 7_421_190_001;

/** Of all migrations that this version knows, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/**
 * How long a migration waits for a table that others use: behind it waits everybody who comes after. It is less than what
 * Postgres waits before it looks for deadlocks, so that where both wait for each other it is the migration that gives way.
 */
const LOCK_TIMEOUT = '500ms';
const PAUSE_MS = 1000;
/** Some ten minutes: a backup under way holds every table. */
const ATTEMPTS = 400;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Brings the schema up to this version, each migration in a transaction of its own: what serves meanwhile waits for one of
 * them at most, and what stands where a migration fails is a schema that older processes work with.
 * @returns names of the migrations that were run now, oldest first
 * @throws ConfigError where a restore is under way or was cut off, or others never let go of a table
 */
export async function migrate(database: Database): Promise<string[]> {
  const runner = database.dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (await new UnfinishedRestore(database).isPresent())
      throw new ConfigError(
        "A restore into this database is under way or was cut off: run 'drawbridge restore' again, or begin with an empty database.",
      );
    const missing = await missingMigrations(database);
    await runner.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    await runMissing(database, runner);
    return missing;
  } finally {
    await runner.query('RESET lock_timeout').catch(() => undefined);
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

/** Again and again while tables are held. */
async function runMissing({ dataSource }: Database, runner: QueryRunner): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      await executor.executePendingMigrations();
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (attempt === ATTEMPTS)
        throw new ConfigError(
          "Others hold a table that the schema change needs: end their transactions (pg_stat_activity names them), and run 'drawbridge migrate' again.",
          { cause: error },
        );
    }
    await pause(PAUSE_MS);
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
  return MIGRATION_NAMES.filter((name) => !names.has(name));
}
