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

/** Protocols of uploads in parts: chunks at an address of their own, chunks by their names, or TUS. */
export type UploadKind = 'chunks' | 'named-chunks' | 'tus' | 'tus-partial';

/** The sender of a file: a user, or the holder of a share's secret. */
export type UploadSender = { readonly uid: string } | { readonly shareId: number };

/** Headers that make an upload depend on the present file at its target. */
type DeclaredConditions = Readonly<Partial<Record<'if-match' | 'if-none-match', string>>>;

/** Facts about the file that the sender gives at the start. */
export interface UploadDeclaration {
  /** Milliseconds since 1970. */
  readonly mtime?: number;
  /** Text of the header OC-Checksum. */
  readonly checksum?: string;
  /** The sender's text, which is returned to them. */
  readonly metadata?: string;
  /** Headers that make the upload depend on the present file at its target. */
  readonly conditions?: DeclaredConditions;
  /** Whether the file gets another name if its own is taken. */
  readonly autorename?: boolean;
  /** Addresses of the uploads whose parts it joins. */
  readonly joins?: string;
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
  told: jsonb<UploadDeclaration>(),
  finishedNodeId: nullable(int8),
  touchedAt: timestamptz,
};

export type UploadRow = RowOf<typeof ROW>;

export const OF_USER = statement({
  name: 'upload.of_user',
  params: { uid: text, name: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE uid = :uid AND name = :name`,
});

export const OF_SHARE = statement({
  name: 'upload.of_share',
  params: { shareId: int8, name: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE share_id = :shareId AND name = :name`,
});

export const ALL_OF_USER = statement({
  name: 'upload.all_of_user',
  params: { uid: text, kind: text },
  row: ROW,
  sql: `SELECT ${COLUMNS} FROM upload WHERE uid = :uid AND kind = :kind ORDER BY name`,
});

export const INSERT = statement({
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

export const COUNT = statement({
  name: 'upload.count',
  params: { uid: nullable(text), shareId: nullable(int8), fallback: int8 },
  row: { uploads: int8, allowed: int8 },
  sql: `SELECT (SELECT count(*) FROM upload WHERE (uid = :uid OR share_id = :shareId) AND finished_node_id IS NULL) AS uploads,
     coalesce((SELECT value::bigint FROM setting WHERE app = 'files' AND key = 'max_unfinished_uploads'), :fallback) AS allowed`,
});

export const LOCK = statement({
  name: 'upload.lock',
  params: { id: int8 },
  row: { receivedBytes: int8, revision: int8, parts: int8 },
  sql: `SELECT received_bytes AS "receivedBytes", revision, (SELECT count(*) FROM upload_part WHERE upload_id = :id) AS parts
   FROM upload WHERE id = :id AND finished_node_id IS NULL FOR UPDATE`,
});

const PART_ROW = { name: text, size: int8, blobKey: text, storedAt: timestamptz };

export type UploadPart = RowOf<typeof PART_ROW>;

export const PART = statement({
  name: 'upload.part',
  params: { id: int8, name: text },
  row: PART_ROW,
  sql: `SELECT name, size, blob_key AS "blobKey", stored_at AS "storedAt" FROM upload_part WHERE upload_id = :id AND name = :name`,
});

export const PARTS = statement({
  name: 'upload.parts',
  params: { id: int8 },
  row: PART_ROW,
  sql: `SELECT name, size, blob_key AS "blobKey", stored_at AS "storedAt" FROM upload_part WHERE upload_id = :id ORDER BY name`,
});

export const PUT_PART = statement({
  name: 'upload.put_part',
  params: { id: int8, name: text, size: int8, blobKey: text, replacedBytes: int8 },
  sql: `WITH part AS (
     INSERT INTO upload_part (upload_id, name, size, blob_key) VALUES (:id, :name, :size, :blobKey)
     ON CONFLICT (upload_id, name) DO UPDATE SET size = excluded.size, blob_key = excluded.blob_key, stored_at = now()
   )
   UPDATE upload SET received_bytes = received_bytes + :size - :replacedBytes, revision = revision + 1, touched_at = now()
   WHERE id = :id`,
});

export const REMOVE_PART = statement({
  name: 'upload.remove_part',
  params: { id: int8, name: text },
  row: { blobKey: text },
  sql: `WITH part AS (DELETE FROM upload_part WHERE upload_id = :id AND name = :name RETURNING size, blob_key),
   upload AS (
     UPDATE upload SET received_bytes = received_bytes - part.size, revision = revision + 1, touched_at = now()
     FROM part WHERE upload.id = :id
   ) SELECT blob_key AS "blobKey" FROM part`,
});

export const REMOVE = statement({
  name: 'upload.remove',
  params: { id: int8, revision: int8 },
  row: { id: int8 },
  sql: 'DELETE FROM upload WHERE id = :id AND revision = :revision RETURNING id',
});

export const FINISH = statement({
  name: 'upload.finish',
  params: { id: int8, revision: int8, nodeId: int8 },
  row: { id: int8 },
  sql: `WITH done AS (
     UPDATE upload SET finished_node_id = :nodeId, received_bytes = 0, touched_at = now()
     WHERE id = :id AND revision = :revision AND finished_node_id IS NULL RETURNING id
   ), parts AS (DELETE FROM upload_part WHERE upload_id IN (SELECT id FROM done))
   SELECT id FROM done`,
});

export const ABORT = statement({
  name: 'upload.abort',
  params: { id: int8 },
  row: { blobKey: text },
  sql: `WITH parts AS (DELETE FROM upload_part WHERE upload_id = :id RETURNING blob_key),
   gone AS (DELETE FROM upload WHERE id = :id)
   SELECT blob_key AS "blobKey" FROM parts`,
});

export const ADOPT = statement({
  name: 'upload.adopt',
  params: { id: int8, from: int8, prefix: text },
  sql: `WITH moved AS (
     UPDATE upload_part SET upload_id = :id, name = :prefix || name WHERE upload_id = :from RETURNING size
   ), total AS (SELECT coalesce(sum(size), 0)::bigint AS size FROM moved),
   gone AS (DELETE FROM upload WHERE id = :from)
   UPDATE upload SET received_bytes = received_bytes + total.size, total_size = total_size + total.size, revision = revision + 1
   FROM total WHERE id = :id`,
});

const DAYS = `coalesce((SELECT value::integer FROM setting WHERE app = 'files' AND key = 'unfinished_uploads_days'), :days)`;

export const REMOVE_EXPIRED = statement({
  name: 'upload.remove_expired',
  params: { days: int4, limit: int8 },
  row: { uploads: int8, blobKeys: array(text) },
  sql: `WITH expired AS (
     SELECT id FROM upload WHERE touched_at < now() - make_interval(days => ${DAYS})
     ORDER BY touched_at LIMIT :limit FOR UPDATE SKIP LOCKED
   ), parts AS (DELETE FROM upload_part WHERE upload_id = ANY (ARRAY(SELECT id FROM expired)) RETURNING blob_key),
   gone AS (DELETE FROM upload WHERE id = ANY (ARRAY(SELECT id FROM expired)))
   SELECT (SELECT count(*) FROM expired) AS uploads, ARRAY(SELECT blob_key FROM parts) AS "blobKeys"`,
});

export const EXPIRY_DAYS = statement({
  name: 'upload.expiry_days',
  params: { days: int4 },
  row: { days: int4 },
  sql: `SELECT ${DAYS} AS days`,
});
