import type { Queryable } from '../../database';
import {
  array,
  int4,
  int8,
  jsonb,
  jsonText,
  nullable,
  text,
  textOf,
  timestamptz,
  type RowOf,
} from '../../postgres-types';
import { statement } from '../../statement';

/** How a file is sent in pieces: in chunks to an address of their own, in chunks by their names, or by TUS. */
export type UploadKind = 'chunks' | 'named-chunks' | 'tus' | 'tus-partial';

/** The one who sends a file: a user, or the holder of a share's secret. */
export type UploadSender = { readonly uid: string } | { readonly shareId: number };

/** Words of the sender about the file, at its beginning. */
export interface UploadTold {
  /** Milliseconds since 1970. */
  readonly mtime?: number;
  /** As in the header OC-Checksum. */
  readonly checksum?: string;
  /** As the sender wrote them; given back to them. */
  readonly metadata?: string;
  /** Headers that make the file depend on what stands at its target. */
  readonly conditions?: Readonly<Record<string, string>>;
}

interface NewUpload {
  readonly kind: UploadKind;
  readonly name: string;
  readonly sender: UploadSender;
  readonly storageId: number;
  readonly target: string | null;
  readonly totalSize: number | null;
  readonly replacesBytes: number;
  readonly told: UploadTold;
}

const COLUMNS = `id, kind, name, uid, share_id AS "shareId", storage_id AS "storageId", target, total_size AS "totalSize",
  replaces_bytes AS "replacesBytes", received_bytes AS "receivedBytes", revision, told, finished_node_id AS "finishedNodeId",
  touched_at AS "touchedAt"`;
const ROW = {
  id: int8,
  kind: textOf<UploadKind>(),
  name: text,
  uid: nullable(text),
  shareId: nullable(int8),
  storageId: int4,
  target: nullable(text),
  totalSize: nullable(int8),
  replacesBytes: int8,
  receivedBytes: int8,
  revision: int8,
  told: jsonb<UploadTold>(),
  finishedNodeId: nullable(int8),
  touchedAt: timestamptz,
};

export type UploadRow = RowOf<typeof ROW>;

const OF_USER = statement({
  name: 'upload.of_user',
  params: { uid: text, name: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE uid = :uid AND name = :name`,
});

const OF_SHARE = statement({
  name: 'upload.of_share',
  params: { shareId: int8, name: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE share_id = :shareId AND name = :name`,
});

const ALL_OF_USER = statement({
  name: 'upload.all_of_user',
  params: { uid: text, kind: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE uid = :uid AND kind = :kind ORDER BY name`,
});

const INSERT = statement({
  name: 'upload.insert',
  params: {
    kind: text,
    name: text,
    uid: nullable(text),
    shareId: nullable(int8),
    storageId: int4,
    target: nullable(text),
    totalSize: nullable(int8),
    replacesBytes: int8,
    told: jsonText,
  },
  row: ROW,
  sql: `INSERT INTO upload (kind, name, uid, share_id, storage_id, target, total_size, replaces_bytes, told)
   VALUES (:kind, :name, :uid, :shareId, :storageId, :target, :totalSize, :replacesBytes, :told) ON CONFLICT DO NOTHING
   RETURNING ${COLUMNS}`,
});

const COUNT = statement({
  name: 'upload.count',
  params: { uid: nullable(text), shareId: nullable(int8), fallback: int8 },
  row: { uploads: int8, allowed: int8 },
  sql: `SELECT (SELECT count(*) FROM upload WHERE (uid = :uid OR share_id = :shareId) AND finished_node_id IS NULL) AS uploads,
     coalesce((SELECT value::bigint FROM setting WHERE app = 'files' AND key = 'max_unfinished_uploads'), :fallback) AS allowed`,
});

const LOCK = statement({
  name: 'upload.lock',
  params: { id: int8 },
  row: { receivedBytes: int8, revision: int8, parts: int8 },
  sql: `SELECT received_bytes AS "receivedBytes", revision, (SELECT count(*) FROM upload_part WHERE upload_id = :id) AS parts
   FROM upload WHERE id = :id AND finished_node_id IS NULL FOR UPDATE`,
});

const PART_ROW = { name: text, size: int8, blobKey: text, storedAt: timestamptz };

export type UploadPart = RowOf<typeof PART_ROW>;

const PART = statement({
  name: 'upload.part',
  params: { id: int8, name: text },
  row: PART_ROW,
  sql: `SELECT name, size, blob_key AS "blobKey", stored_at AS "storedAt" FROM upload_part WHERE upload_id = :id AND name = :name`,
});

const PARTS = statement({
  name: 'upload.parts',
  params: { id: int8 },
  row: PART_ROW,
  sql: `SELECT name, size, blob_key AS "blobKey", stored_at AS "storedAt" FROM upload_part WHERE upload_id = :id ORDER BY name`,
});

const PUT_PART = statement({
  name: 'upload.put_part',
  params: { id: int8, name: text, size: int8, blobKey: text, replacedBytes: int8 },
  sql: `WITH part AS (
     INSERT INTO upload_part (upload_id, name, size, blob_key) VALUES (:id, :name, :size, :blobKey)
     ON CONFLICT (upload_id, name) DO UPDATE SET size = excluded.size, blob_key = excluded.blob_key, stored_at = now()
   )
   UPDATE upload SET received_bytes = received_bytes + :size - :replacedBytes, revision = revision + 1, touched_at = now()
   WHERE id = :id`,
});

const REMOVE_PART = statement({
  name: 'upload.remove_part',
  params: { id: int8, name: text },
  row: { blobKey: text },
  sql: `WITH part AS (DELETE FROM upload_part WHERE upload_id = :id AND name = :name RETURNING size, blob_key),
   upload AS (
     UPDATE upload SET received_bytes = received_bytes - part.size, revision = revision + 1, touched_at = now()
     FROM part WHERE upload.id = :id
   ) SELECT blob_key AS "blobKey" FROM part`,
});

const REMOVE = statement({
  name: 'upload.remove',
  params: { id: int8, revision: int8 },
  row: { id: int8 },
  sql: 'DELETE FROM upload WHERE id = :id AND revision = :revision RETURNING id',
});

const FINISH = statement({
  name: 'upload.finish',
  params: { id: int8, revision: int8, nodeId: int8 },
  row: { id: int8 },
  sql: `WITH done AS (
     UPDATE upload SET finished_node_id = :nodeId, received_bytes = 0, touched_at = now()
     WHERE id = :id AND revision = :revision AND finished_node_id IS NULL RETURNING id
   ), parts AS (DELETE FROM upload_part WHERE upload_id IN (SELECT id FROM done))
   SELECT id FROM done`,
});

const ABORT = statement({
  name: 'upload.abort',
  params: { id: int8 },
  row: { blobKey: text },
  sql: `WITH parts AS (DELETE FROM upload_part WHERE upload_id = :id RETURNING blob_key),
   gone AS (DELETE FROM upload WHERE id = :id)
   SELECT blob_key AS "blobKey" FROM parts`,
});

const DAYS = `coalesce((SELECT value::integer FROM setting WHERE app = 'files' AND key = 'unfinished_uploads_days'), :days)`;

const REMOVE_EXPIRED = statement({
  name: 'upload.remove_expired',
  params: { days: int4, limit: int8 },
  row: { uploads: int8, blobKeys: array(text) },
  sql: `WITH expired AS (
     SELECT id FROM upload WHERE touched_at < now() - make_interval(days => ${DAYS})
     ORDER BY touched_at LIMIT :limit FOR UPDATE SKIP LOCKED
   ), parts AS (DELETE FROM upload_part WHERE upload_id IN (SELECT id FROM expired) RETURNING blob_key),
   gone AS (DELETE FROM upload WHERE id IN (SELECT id FROM expired))
   SELECT (SELECT count(*) FROM expired) AS uploads, ARRAY(SELECT blob_key FROM parts) AS "blobKeys"`,
});

const EXPIRY_DAYS = statement({
  name: 'upload.expiry_days',
  params: { days: int4 },
  row: { days: int4 },
  sql: `SELECT ${DAYS} AS days`,
});

/** Keeps which pieces of files have arrived; their bytes are in the blob store. */
export class UploadRepository {
  constructor(private readonly database: Queryable) {}

  async find(sender: UploadSender, name: string): Promise<UploadRow | undefined> {
    const [row] =
      'uid' in sender
        ? await this.database.rows(OF_USER, { uid: sender.uid, name })
        : await this.database.rows(OF_SHARE, { shareId: sender.shareId, name });
    return row;
  }

  /** All uploads of a user by one protocol, in the order of their names. */
  ofUser(uid: string, kind: UploadKind): Promise<UploadRow[]> {
    return this.database.rows(ALL_OF_USER, { uid, kind });
  }

  /** @returns undefined when the sender has one of this name */
  async insert({ sender, ...upload }: NewUpload): Promise<UploadRow | undefined> {
    const values = { ...upload, ...keysOf(sender), told: JSON.stringify(upload.told) };
    return (await this.database.rows(INSERT, values))[0];
  }

  /** Whether the sender has as many unfinished uploads as one may have. @param fallback where no setting says how many */
  async isFull(sender: UploadSender, fallback: number): Promise<boolean> {
    const [row] = await this.database.rows(COUNT, { ...keysOf(sender), fallback });
    const { uploads, allowed } = row!;
    return allowed > 0 && uploads >= allowed;
  }

  /** In a transaction, before its pieces are changed. @returns undefined when it has ended */
  async lock(id: number): Promise<{ receivedBytes: number; revision: number; parts: number } | undefined> {
    return (await this.database.rows(LOCK, { id }))[0];
  }

  async part(id: number, name: string): Promise<UploadPart | undefined> {
    return (await this.database.rows(PART, { id, name }))[0];
  }

  /** In the order of the bytes of their names. */
  parts(id: number): Promise<UploadPart[]> {
    return this.database.rows(PARTS, { id });
  }

  /** Enters a piece of an upload that is locked. @param replacedBytes of the piece that had the name before */
  async putPart(id: number, part: Omit<UploadPart, 'storedAt'>, replacedBytes: number): Promise<void> {
    await this.database.rows(PUT_PART, { id, ...part, replacedBytes });
  }

  /** @returns the key of its bytes */
  async removePart(id: number, name: string): Promise<string | undefined> {
    return (await this.database.rows(REMOVE_PART, { id, name }))[0]?.blobKey;
  }

  /** Removes an upload whose pieces are as they were. @returns whether they were, and it was there */
  async remove({ id, revision }: Pick<UploadRow, 'id' | 'revision'>): Promise<boolean> {
    return (await this.database.rows(REMOVE, { id, revision })).length > 0;
  }

  /** The same, but keeps that it became this file, until it expires. */
  async finish({ id, revision }: Pick<UploadRow, 'id' | 'revision'>, nodeId: number): Promise<boolean> {
    return (await this.database.rows(FINISH, { id, revision, nodeId })).length > 0;
  }

  /** Removes an upload. @returns the keys of its pieces */
  async abort(id: number): Promise<string[]> {
    return (await this.database.rows(ABORT, { id })).map(({ blobKey }) => blobKey);
  }

  /**
   * Removes those that got nothing for some days, `limit` at most; those that are being changed are left out.
   * @param days where no setting says how many
   */
  async removeExpired(days: number, limit: number): Promise<{ uploads: number; blobKeys: string[] }> {
    return (await this.database.rows(REMOVE_EXPIRED, { days, limit }))[0]!;
  }

  /** Days that an upload is kept after its last piece. @param fallback where no setting says how many */
  async expiryDays(fallback: number): Promise<number> {
    return (await this.database.rows(EXPIRY_DAYS, { days: fallback }))[0]!.days;
  }
}

const keysOf = (sender: UploadSender): { readonly uid: string | null; readonly shareId: number | null } =>
  'uid' in sender ? { uid: sender.uid, shareId: null } : { uid: null, shareId: sender.shareId };
