import type { Queryable } from '../../database';
import { array, bool, filtered, int8, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';

const REFERENCED = statement({
  name: 'blob.referenced',
  params: { keys: array(text) },
  row: { blobKey: text },
  sql: `SELECT blob_key AS "blobKey" FROM node WHERE blob_key = ANY(:keys::text[])
   UNION ALL SELECT blob_key FROM upload_part WHERE blob_key = ANY(:keys::text[])
   UNION ALL SELECT blob_key FROM file_version WHERE blob_key = ANY(:keys::text[])
   UNION ALL SELECT blob_key FROM quarantined_content WHERE blob_key = ANY(:keys::text[])
   UNION ALL SELECT blob_key FROM stored_write WHERE blob_key = ANY(:keys::text[])`,
});

/** A file's node and the content it refers to. */
const STORED_FILE = {
  nodeId: int8,
  blobKey: filtered(text),
  ownerUid: text,
  path: text,
};
export type StoredFile = RowOf<typeof STORED_FILE>;

/** The same of a content that a file had. */
const STORED_VERSION = { versionId: int8, blobKey: text, ownerUid: text, path: text };
type StoredVersion = RowOf<typeof STORED_VERSION>;

const FILES_AFTER = statement({
  name: 'blob.files_after',
  params: { nodeId: int8, limit: int8 },
  row: STORED_FILE,
  sql: `SELECT id AS "nodeId", blob_key AS "blobKey", owner_uid AS "ownerUid", path FROM node
   WHERE blob_key IS NOT NULL AND id > :nodeId ORDER BY id LIMIT :limit`,
});

const VERSIONS_AFTER = statement({
  name: 'blob.versions_after',
  params: { versionId: int8, limit: int8 },
  row: STORED_VERSION,
  sql: `SELECT v.id AS "versionId", v.blob_key AS "blobKey", n.owner_uid AS "ownerUid", n.path FROM file_version v JOIN node n ON n.id = v.node_id
   WHERE v.id > :versionId ORDER BY v.id LIMIT :limit`,
});

/** Held by a backup for as long as it needs the contents that were there when it began. */
export const BLOB_HOLD = 7_421_190_004;

// Taken for the statement only: later snapshots see every transaction that committed before this one finds the lock free.
const ARE_HELD = statement({
  name: 'blob.are_held',
  params: { blobHold: int8 },
  row: { held: bool },
  sql: 'SELECT NOT pg_try_advisory_xact_lock_shared(:blobHold) AS held',
});

/** Stored contents that the node tree, versions, unfinished uploads and the quarantine refer to; for the sweep and the check of a blob store. */
export class BlobRepository {
  constructor(private readonly database: Queryable) {}

  /** Those of `keys` that anything refers to. */
  async referenced(keys: readonly string[]): Promise<Set<string>> {
    return new Set((await this.database.rows(REFERENCED, { keys })).map((row) => row.blobKey));
  }

  /**
   * Whether a backup needs what no node refers to any more. Asked after that was committed or read: a content may go
   * when the answer is no, whatever begins later.
   */
  async areHeld(): Promise<boolean> {
    return (await this.database.rows(ARE_HELD, { blobHold: BLOB_HOLD }))[0]!.held;
  }

  /** Files in the order of their ids, a page at a time: those after `nodeId`. */
  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return this.database.rows(FILES_AFTER, { nodeId, limit });
  }

  /** Versions of files in the order of their ids, a page at a time: those after `versionId`. */
  versionsAfter(versionId: number, limit: number): Promise<StoredVersion[]> {
    return this.database.rows(VERSIONS_AFTER, { versionId, limit });
  }
}
