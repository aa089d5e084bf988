import type { Queryable } from '../../database';
import { statement } from '../../statement';

const REFERENCED = statement<{ blobKey: string }>(
  'blob.referenced',
  `SELECT blob_key AS "blobKey" FROM node WHERE blob_key = ANY($1::text[])
   UNION ALL SELECT blob_key FROM upload_part WHERE blob_key = ANY($1::text[])`,
);

const FILES_AFTER = statement<StoredFile>(
  'blob.files_after',
  `SELECT id AS "nodeId", blob_key AS "blobKey", owner_uid AS "ownerUid", path FROM node
   WHERE blob_key IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`,
);

/** Held by a backup for as long as it needs the contents that were there when it began. */
export const BLOB_HOLD = 7_421_190_004;

// Taken for the statement only: who has committed before it finds the lock free is seen by every later snapshot.
const ARE_HELD = statement<{ held: boolean }>(
  'blob.are_held',
  'SELECT NOT pg_try_advisory_xact_lock_shared($1) AS held',
);

/** A file's node and the content it refers to. */
export interface StoredFile {
  readonly nodeId: number;
  readonly blobKey: string;
  readonly ownerUid: string;
  readonly path: string;
}

/** Stored contents that the node tree and unfinished uploads refer to; for the sweep and the check of a blob store. */
export class BlobRepository {
  constructor(private readonly database: Queryable) {}

  /** Those of `keys` that a node or an unfinished upload refers to. */
  async referenced(keys: readonly string[]): Promise<Set<string>> {
    return new Set((await this.database.rows(REFERENCED, [keys])).map((row) => row.blobKey));
  }

  /**
   * Whether a backup needs what no node refers to any more. Asked after that was committed or read: a content may go
   * when the answer is no, whatever begins later.
   */
  async areHeld(): Promise<boolean> {
    return (await this.database.rows(ARE_HELD, [BLOB_HOLD]))[0]!.held;
  }

  /** Files in the order of their ids, a page at a time: those after `nodeId`. */
  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return this.database.rows(FILES_AFTER, [nodeId, limit]);
  }
}
