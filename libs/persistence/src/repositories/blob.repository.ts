import type { Queryable } from '../database';
import { statement } from '../statement';

const REFERENCED = statement<{ blobKey: string }>(
  'blob.referenced',
  `SELECT blob_key AS "blobKey" FROM node WHERE blob_key = ANY($1::text[])`,
);

const FILES_AFTER = statement<StoredFile>(
  'blob.files_after',
  `SELECT id AS "nodeId", blob_key AS "blobKey", owner_uid AS "ownerUid", path FROM node
   WHERE blob_key IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`,
);

/** A file's node and the content it refers to. */
export interface StoredFile {
  readonly nodeId: number;
  readonly blobKey: string;
  readonly ownerUid: string;
  readonly path: string;
}

/** What the node tree says of stored contents; for the sweep and the check of a blob store. */
export class BlobRepository {
  constructor(private readonly database: Queryable) {}

  /** Those of `keys` that a node refers to. */
  async referenced(keys: readonly string[]): Promise<Set<string>> {
    return new Set((await this.database.rows(REFERENCED, [keys])).map((row) => row.blobKey));
  }

  /** Files in the order of their ids, a page at a time: those after `nodeId`. */
  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return this.database.rows(FILES_AFTER, [nodeId, limit]);
  }
}
