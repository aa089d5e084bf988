import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../database';
import { filtered, int8, nullable, type RowOf, text } from '../postgres-types';
import { BLOB_HOLD } from '../repositories/files/blob.repository';
import { type AnyStatement, type ArgumentsOf, queryOf, type RowIn, statement } from '../statement';
import { CATALOGUE, columnsOf, inOrderOfReferences, quoted, type BackedUpTable } from './catalogue';

const HOLD = statement({
  name: 'backup.hold',
  params: { lock: int8 },
  sql: 'SELECT pg_advisory_lock(:lock)',
});
const LET_GO = statement({
  name: 'backup.let_go',
  params: { lock: int8 },
  sql: 'SELECT pg_advisory_unlock(:lock)',
});
const MIGRATIONS_DONE = statement({
  name: 'backup.migrations_done',
  row: { name: text },
  sql: 'SELECT name::text FROM schema_migration ORDER BY timestamp',
});

/** The last value of a sequence. */
const SEQUENCE_POSITION = {
  name: text,
  last: filtered(int8),
};
export type SequencePosition = RowOf<typeof SEQUENCE_POSITION>;
const POSITIONS = statement({
  name: 'backup.positions',
  row: SEQUENCE_POSITION,
  sql: `SELECT sequencename::text AS name, last_value AS last FROM pg_sequences
   WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
});
const BLOB_KEYS = statement({
  name: 'backup.blob_keys',
  params: { last: text },
  row: { key: filtered(text) },
  sql: 'SELECT blob_key AS key FROM node WHERE blob_key > :last ORDER BY blob_key LIMIT 500',
});
const BLOB_KEYS_WITH_VERSIONS = statement({
  name: 'backup.blob_keys_with_versions',
  params: { last: text },
  row: { key: text },
  sql: `SELECT key FROM (
     (SELECT blob_key AS key FROM node WHERE blob_key > :last ORDER BY blob_key LIMIT 500)
     UNION ALL
     (SELECT blob_key FROM file_version WHERE blob_key > :last ORDER BY blob_key LIMIT 500)
   ) of_both ORDER BY key LIMIT 500`,
});
const BLOB_KEYS_WITH_STORED_WRITES = statement({
  name: 'backup.blob_keys_with_stored_writes',
  params: { last: text },
  row: { key: text },
  sql: `SELECT key FROM (
     (SELECT blob_key AS key FROM node WHERE blob_key > :last ORDER BY blob_key LIMIT 500)
     UNION ALL
     (SELECT blob_key FROM file_version WHERE blob_key > :last ORDER BY blob_key LIMIT 500)
     UNION ALL
     (SELECT blob_key FROM stored_write WHERE blob_key > :last ORDER BY blob_key LIMIT 500)
   ) of_all ORDER BY key LIMIT 500`,
});
// Read through jsonb, because older schemas do not have the column.
const LOOKUP_KEY = statement({
  name: 'backup.lookup_key',
  row: { sealed: nullable(text) },
  sql: `SELECT to_jsonb(i) ->> 'sealed_lookup_key' AS sealed FROM instance i`,
});

/** Another backup of this instance is running. */
export class BackupUnderWay extends Error {}

const HOLD_LIMIT = '10s';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `work` on the database as it is at one moment. Until it ends, no content of that moment's files is
 * removed from the blob store: a process that wants to remove one sees the lock and leaves it to a later sweep.
 * @throws BackupUnderWay
 */
export async function withSnapshot<T>(
  database: Database,
  work: (snapshot: DatabaseSnapshot) => Promise<T>,
): Promise<T> {
  const runner = database.dataSource.createQueryRunner();
  const client = (await runner.connect()) as PoolClient;
  try {
    await hold(client);
    // The first statement fixes the snapshot, so the lock has to be held by then.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    return await work(new DatabaseSnapshot(client));
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.query(LET_GO.text, [BLOB_HOLD]).catch(() => undefined);
    await runner.release();
  }
}

async function hold(client: PoolClient): Promise<void> {
  try {
    await client.query(`SET lock_timeout = '${HOLD_LIMIT}'`);
    await client.query(HOLD.text, [BLOB_HOLD]);
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) throw new BackupUnderWay();
    throw error;
  } finally {
    await client.query('RESET lock_timeout').catch(() => undefined);
  }
}

/** The database at the start of the backup. */
export class DatabaseSnapshot {
  constructor(private readonly client: PoolClient) {}

  /** Names of the migrations that made its schema, oldest first. */
  async migrations(): Promise<string[]> {
    return (await this.rows(MIGRATIONS_DONE)).map(({ name }) => name);
  }

  /** Tables, in the order in which they can be filled. */
  async tables(): Promise<BackedUpTable[]> {
    return inOrderOfReferences(await this.rows(CATALOGUE.tables));
  }

  /** Values of all sequences that were used. */
  positions(): Promise<SequencePosition[]> {
    return this.rows(POSITIONS);
  }

  /** The sealed key for lookups, with which an encryption key can be tested; undefined if there was none yet. */
  async sealedLookupKey(): Promise<Buffer | undefined> {
    const [row] = await this.rows(LOOKUP_KEY);
    return row?.sealed ? Buffer.from(row.sealed.slice(2), 'hex') : undefined;
  }

  /** All rows in the text format of COPY. @returns the number of removed uploads */
  async *read(table: BackedUpTable): AsyncGenerator<Buffer, number> {
    const rows = `SELECT ${columnsOf(table)} FROM ${quoted(table.name)}`;
    // The stream ends before the connection is free again.
    const free = once(this.client, 'drain');
    free.catch(() => undefined);
    const stream = this.client.query(copyTo(`COPY (${rows}) TO STDOUT`));
    for await (const chunk of stream) yield chunk as Buffer;
    await free;
    return stream.rowCount;
  }

  /** The keys of all contents, in ascending order of their bytes. */
  async *blobKeys(): AsyncIterable<string> {
    const keys = await this.keysOfSchema();
    let last = '';
    for (;;) {
      const page = await this.rows(keys, { last });
      if (page.length === 0) return;
      for (const { key } of page) yield key;
      last = page.at(-1)!.key;
    }
  }

  private async keysOfSchema() {
    if ((await this.rows(CATALOGUE.hasStoredWrites))[0]!.has) return BLOB_KEYS_WITH_STORED_WRITES;
    return (await this.rows(CATALOGUE.hasVersions))[0]!.has ? BLOB_KEYS_WITH_VERSIONS : BLOB_KEYS;
  }

  private async rows<S extends AnyStatement>(statement: S, ...[given]: ArgumentsOf<S>): Promise<RowIn<S>[]> {
    const { text, values } = queryOf(statement, given);
    return (await this.client.query(text, values)).rows as RowIn<S>[];
  }
}
