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
 * The mark of a restore that is under way, or was cut off: a table that stands alone in the database until the
 * restored ones appear, all at once. As long as it is there nothing makes a schema, so nothing starts.
 */
export class UnfinishedRestore {
  constructor(private readonly database: Queryable) {}

  /** Whether the database holds nothing, or nothing but this mark. */
  async isAlone(): Promise<boolean> {
    return (await this.database.rows(CATALOGUE.relations)).length === 0;
  }

  /** Where a restore that was cut off was putting contents; undefined where there was none. */
  async blobStore(): Promise<string | undefined> {
    if (!(await this.isPresent())) return undefined;
    return (await this.database.rows(FIND))[0]?.blobStore;
  }

  async isPresent(): Promise<boolean> {
    return (await this.database.rows(PRESENT))[0]!.present;
  }

  /** @param blobStore where contents are going to be put, which is empty */
  async begin(blobStore: string): Promise<void> {
    await this.database.rows(FORGET);
    await this.database.rows(MAKE);
    await this.database.rows(NOTE, { blobStore });
  }

  async end(): Promise<void> {
    await this.database.rows(FORGET);
  }
}
