import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Database, Queryable } from '../database';
import { CURRENT_FORMS } from '../functions';
import { applyForm } from '../functions/apply-forms';
import { array, bool, int8, text } from '../postgres-types';
import { type AnyStatement, type ArgumentsOf, queryOf, type RowIn, statement } from '../statement';
import { CATALOGUE, columnsOf, inOrderOfReferences, quoted, type BackedUpTable } from './catalogue';
import type { SequencePosition } from './database-snapshot';

/**
 * Distance that every sequence skips. Changes after the backup are lost here, but partners and clients may know their
 * ids: no new object may get an id that a lost one had.
 */
const SKIPPED_IDS = 100_000;

const SET_POSITION = statement({
  name: 'restore.set_position',
  params: { name: text, last: int8 },
  sql: `SELECT setval(quote_ident(:name)::regclass, LEAST(:last::bigint + ${SKIPPED_IDS}, max_value)) FROM pg_sequences
   WHERE schemaname = current_schema() AND sequencename = :name`,
});
const RENAME_BLOBS = statement({
  name: 'restore.rename_blobs',
  params: { old: array(text), fresh: array(text) },
  sql: `UPDATE node SET blob_key = b.fresh FROM unnest(:old::text[], :fresh::text[]) AS b (old, fresh) WHERE blob_key = b.old`,
});

const RENAME_VERSIONS = statement({
  name: 'restore.rename_versions',
  params: { old: array(text), fresh: array(text) },
  sql: `UPDATE file_version SET blob_key = b.fresh FROM unnest(:old::text[], :fresh::text[]) AS b (old, fresh) WHERE blob_key = b.old`,
});

const RENAME_STORED_WRITES = statement({
  name: 'restore.rename_stored_writes',
  params: { old: array(text), fresh: array(text) },
  sql: `UPDATE stored_write SET blob_key = b.fresh FROM unnest(:old::text[], :fresh::text[]) AS b (old, fresh) WHERE blob_key = b.old`,
});

// A backup contains no parts of unfinished uploads: their senders begin again.
const FORGET_UPLOADS = statement({ name: 'restore.forget_uploads', sql: 'DELETE FROM upload' });

// A backup contains no quarantined contents: they would be malware in every copy of it.
const FORGET_QUARANTINE = statement({
  name: 'restore.forget_quarantine',
  sql: 'DELETE FROM quarantined_content',
});

const CLAIM = statement({
  name: 'restore.claim',
  params: { restoreLock: int8 },
  row: { claimed: bool },
  sql: 'SELECT pg_try_advisory_xact_lock(:restoreLock) AS claimed',
});
/** Held by a restore until it ends. */
const RESTORE_LOCK = 7_421_190_005;

/** Another restore is filling this database. */
export class RestoreUnderWay extends Error {}

/**
 * Runs `work` in one transaction: the restored database appears as a whole, or not at all if `work` throws or
 * the process ends.
 * @throws RestoreUnderWay
 */
export async function withRestore<T>(
  database: Database,
  work: (restore: DatabaseRestore) => Promise<T>,
): Promise<T> {
  const runner = database.dataSource.createQueryRunner();
  const client = (await runner.connect()) as PoolClient;
  try {
    await runner.startTransaction();
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const restore = new DatabaseRestore(database, runner, client);
    if (!(await restore.rows(CLAIM, { restoreLock: RESTORE_LOCK }))[0]!.claimed) throw new RestoreUnderWay();
    const result = await work(restore);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** A database that is being filled from a backup. */
export class DatabaseRestore implements Queryable {
  private readonly executor: MigrationExecutor;

  constructor(
    database: Database,
    private readonly runner: QueryRunner,
    private readonly client: PoolClient,
  ) {
    this.executor = new MigrationExecutor(database.dataSource, runner);
  }

  /**
   * Makes the empty schema of these migrations, with its triggers off.
   * @throws Error if one of them is unknown: the backup is from a newer version
   */
  async makeSchema(migrations: readonly string[]): Promise<void> {
    const pending = await this.executor.getPendingMigrations();
    const unknown = migrations.find((name) => !pending.some((migration) => migration.name === name));
    if (unknown !== undefined) throw new Error(`migration ${unknown} is not known`);
    for (const migration of pending)
      if (migrations.includes(migration.name)) await this.executor.executeMigration(migration);
    const tables = await this.tables();
    await this.switchTriggers(tables, 'DISABLE');
    await this.client.query(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  }

  /** Writes rows in the text format of COPY; `done` resolves when the last row is in the table. */
  write(table: BackedUpTable): { readonly sink: Writable; readonly done: Promise<unknown> } {
    // The stream ends before the connection is free again.
    const free = once(this.client, 'drain');
    free.catch(() => undefined);
    const sink = this.client.query(copyFrom(`COPY ${quoted(table.name)} (${columnsOf(table)}) FROM STDIN`));
    const done = finished(sink).then(() => free);
    // The failure is reported to the next writer.
    done.catch(() => undefined);
    return { sink, done };
  }

  /** Stores the new keys of contents. */
  async renameBlobs(renamed: ReadonlyMap<string, string>): Promise<void> {
    const keys = { old: [...renamed.keys()], fresh: [...renamed.values()] };
    await this.rows(RENAME_BLOBS, keys);
    if ((await this.rows(CATALOGUE.hasVersions))[0]!.has) await this.rows(RENAME_VERSIONS, keys);
    if ((await this.rows(CATALOGUE.hasStoredWrites))[0]!.has) await this.rows(RENAME_STORED_WRITES, keys);
  }

  /**
   * Moves sequences beyond their old values, turns triggers on, and upgrades the schema to this version.
   * Unfinished uploads and the quarantine are removed.
   * @returns names of the migrations that the upgrade needed
   */
  async finish(positions: readonly SequencePosition[]): Promise<string[]> {
    for (const { name, last } of positions) await this.rows(SET_POSITION, { name, last });
    await this.switchTriggers(await this.tables(), 'ENABLE');
    const run = await this.executor.executePendingMigrations();
    for (const form of CURRENT_FORMS) await applyForm(this.runner, form);
    await this.rows(FORGET_UPLOADS);
    await this.rows(FORGET_QUARANTINE);
    return run.map(({ name }) => name);
  }

  async rows<S extends AnyStatement>(statement: S, ...[given]: ArgumentsOf<S>): Promise<RowIn<S>[]> {
    const { text, values } = queryOf(statement, given);
    return (await this.client.query(text, values)).rows as RowIn<S>[];
  }

  private async tables(): Promise<BackedUpTable[]> {
    return inOrderOfReferences(await this.rows(CATALOGUE.tables));
  }

  private async switchTriggers(tables: readonly BackedUpTable[], what: 'ENABLE' | 'DISABLE'): Promise<void> {
    for (const { name } of tables)
      await this.client.query(`ALTER TABLE ${quoted(name)} ${what} TRIGGER USER`);
  }
}
