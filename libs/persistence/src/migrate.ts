import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '#platform';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { UnfinishedRestore } from './backup/unfinished-restore';
import type { Database } from './database';
import { CURRENT_FORMS } from './functions';
import { appliedForms, applyForm } from './functions/apply-forms';
import { MIGRATIONS } from './migrations';

/** Held while migrations run: if many processes start together, one migrates and the others wait. */
const MIGRATION_LOCK = 7_421_190_001;

/** Names of all migrations of this version, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/**
 * Maximum time that a migration waits for a table in use, because everybody else then waits behind it. It is shorter than
 * the time after which Postgres looks for deadlocks, so in a deadlock the migration gives way.
 */
const LOCK_TIMEOUT = '500ms';
const PAUSE_MS = 1000;
/** Some ten minutes: a running backup uses every table. */
const ATTEMPTS = 400;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Upgrades the schema to this version: each migration in its own transaction, then each changed subject of functions. Serving
 * processes wait for at most one of them. If one fails, the schema still works for older processes.
 * @returns names of the migrations and functions that were applied, in this order
 * @throws ConfigError if a restore is running or was interrupted, or a table stays in use for too long
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
    await untilTablesAreFree(() => runMissing(database, runner));
    return missing;
  } finally {
    await runner.query('RESET lock_timeout').catch(() => undefined);
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

/** Continues where the last call stopped. */
async function runMissing({ dataSource }: Database, runner: QueryRunner): Promise<void> {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'each';
  await executor.executePendingMigrations();
  const applied = await appliedForms(runner);
  for (const form of CURRENT_FORMS.filter((one) => one.isMissingIn(applied))) {
    await runner.startTransaction();
    try {
      await applyForm(runner, form);
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }
}

/** Tries again while tables are in use. */
async function untilTablesAreFree(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
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

/** Differences between the schema of a database and that of this version, as names of migrations and functions. */
export interface SchemaDifference {
  readonly missing: readonly string[];
  /** Names that a newer version applied. */
  readonly newer: readonly string[];
  /** The last migration that ran. */
  readonly latest: string | undefined;
}

/** @returns the difference; works on any schema, and on none */
export async function schemaDifference({ dataSource }: Database): Promise<SchemaDifference> {
  const known = await dataSource.query<{ present: boolean }[]>(
    `SELECT to_regclass('schema_migration') IS NOT NULL AS present`,
  );
  const rows = known[0]?.present
    ? await dataSource.query<{ name: string }[]>('SELECT name FROM schema_migration ORDER BY timestamp')
    : [];
  const done = rows.map(({ name }) => name);
  const forms = await appliedForms(dataSource);
  return {
    missing: [
      ...MIGRATION_NAMES.filter((name) => !done.includes(name)),
      ...CURRENT_FORMS.filter((form) => form.isMissingIn(forms)).map(({ name }) => name),
    ],
    newer: [
      ...done.filter((name) => !MIGRATION_NAMES.includes(name)),
      ...CURRENT_FORMS.filter((form) => form.isBehind(forms)).map(({ name }) => name),
    ],
    latest: done.at(-1),
  };
}

/**
 * Names of the migrations and functions that this version needs and the database lacks.
 * A newer database lacks none: old and new replicas run side by side during an upgrade.
 */
export async function missingMigrations(database: Database): Promise<string[]> {
  return [...(await schemaDifference(database)).missing];
}
