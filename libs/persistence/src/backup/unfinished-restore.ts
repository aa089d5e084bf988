import type { Queryable } from '../database';
import { bool, text } from '../postgres-types';
import { statement } from '../statement';
import { CATALOGUE, UNFINISHED_RESTORE } from './catalogue';

const PRESENT = statement({
  name: 'unfinished_restore.present',
  row: { present: bool },
  sql: `SELECT to_regclass('${UNFINISHED_RESTORE}') IS NOT NULL AS present`,
});
const FIND = statement({
  name: 'unfinished_restore.find',
  row: { blobStore: text },
  sql: `SELECT blob_store AS "blobStore" FROM ${UNFINISHED_RESTORE}`,
});
const MAKE = statement({
  name: 'unfinished_restore.make',
  sql: `CREATE TABLE IF NOT EXISTS ${UNFINISHED_RESTORE} (blob_store text NOT NULL)`,
});
const NOTE = statement({
  name: 'unfinished_restore.note',
  params: { blobStore: text },
  sql: `INSERT INTO ${UNFINISHED_RESTORE} (blob_store) VALUES (:blobStore)`,
});
const FORGET = statement({
  name: 'unfinished_restore.forget',
  sql: `DROP TABLE IF EXISTS ${UNFINISHED_RESTORE}`,
});

/**
 * Marks a restore that is running or was interrupted: a table that is alone in the database until the
 * restored ones appear, all at once. While it exists nobody can make a schema, so no process starts.
 */
export class UnfinishedRestore {
  constructor(private readonly database: Queryable) {}

  /** Whether the database is empty, or contains only this mark. */
  async isAlone(): Promise<boolean> {
    return (await this.database.rows(CATALOGUE.relations)).length === 0;
  }

  /** The blob store into which an interrupted restore copied contents; undefined if there was no restore. */
  async blobStore(): Promise<string | undefined> {
    if (!(await this.isPresent())) return undefined;
    return (await this.database.rows(FIND))[0]?.blobStore;
  }

  async isPresent(): Promise<boolean> {
    return (await this.database.rows(PRESENT))[0]!.present;
  }

  /** @param blobStore the empty blob store for the contents */
  async begin(blobStore: string): Promise<void> {
    await this.database.rows(FORGET);
    await this.database.rows(MAKE);
    await this.database.rows(NOTE, { blobStore });
  }

  async end(): Promise<void> {
    await this.database.rows(FORGET);
  }
}
