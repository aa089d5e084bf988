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
   UNION ALL SELECT blob_key FROM stored_write WHERE blob_key = ANY(:keys::text[])
   UNION ALL SELECT blob_key FROM cached_content WHERE blob_key = ANY(:keys::text[])`,
});

/** A file's node and its content. */
const STORED_FILE = {
  nodeId: int8,
  blobKey: filtered(text),
  ownerUid: text,
  path: text,
};
export type StoredFile = RowOf<typeof STORED_FILE>;

/** The same for an earlier content of a file. */
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

/** Held by a backup while it needs the contents of its snapshot. */
export const BLOB_HOLD = 7_421_190_004;

// Held for the statement only: later snapshots see every transaction that committed before this statement found the lock free.
const ARE_HELD = statement({
  name: 'blob.are_held',
  params: { blobHold: int8 },
  row: { held: bool },
  sql: 'SELECT NOT pg_try_advisory_xact_lock_shared(:blobHold) AS held',
});

/** Contents that nodes, versions, unfinished uploads, the quarantine, writes for partners and the cache refer to; for the sweep and the check of a blob store. */
export class BlobRepository {
  constructor(private readonly database: Queryable) {}

  /** Keys of this list that any row refers to. */
  async referenced(keys: readonly string[]): Promise<Set<string>> {
    return new Set((await this.database.rows(REFERENCED, { keys })).map((row) => row.blobKey));
  }

  /**
   * Whether a backup needs contents without a node. Callers ask after the node's removal was committed or read: a content may be removed
   * if the answer is no, whatever begins later.
   */
  async areHeld(): Promise<boolean> {
    return (await this.database.rows(ARE_HELD, { blobHold: BLOB_HOLD }))[0]!.held;
  }

  /** A page of files behind `nodeId`, in the order of their ids. */
  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return this.database.rows(FILES_AFTER, { nodeId, limit });
  }

  /** A page of versions behind `versionId`, in the order of their ids. */
  versionsAfter(versionId: number, limit: number): Promise<StoredVersion[]> {
    return this.database.rows(VERSIONS_AFTER, { versionId, limit });
  }
}
