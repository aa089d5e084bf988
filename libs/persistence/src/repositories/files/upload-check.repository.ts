import type { Queryable } from '../../database';
import { int8, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';

/** A part of an unfinished upload. */
const STORED_PIECE = {
  uploadId: int8,
  blobKey: text,
  /** Account of the sender; null: it comes through a share. */
  uid: nullable(text),
  shareId: nullable(int8),
  /** Name of the upload in its address. */
  upload: text,
};
export type StoredPiece = RowOf<typeof STORED_PIECE>;

/** An upload with a wrong number of bytes in its parts. */
const WRONG_UPLOAD = {
  uploadId: int8,
  uid: nullable(text),
  shareId: nullable(int8),
  upload: text,
  counted: int8,
  actual: int8,
};
export type WrongUpload = RowOf<typeof WRONG_UPLOAD>;

const PIECES_AFTER = statement({
  name: 'upload_check.pieces_after',
  params: { blobKey: text, limit: int8 },
  row: STORED_PIECE,
  sql: `SELECT u.id AS "uploadId", p.blob_key AS "blobKey", u.uid, u.share_id AS "shareId", u.name AS upload
   FROM upload_part p JOIN upload u ON u.id = p.upload_id WHERE p.blob_key > :blobKey ORDER BY p.blob_key LIMIT :limit`,
});

const PIECE_OF = statement({
  name: 'upload_check.piece_of',
  params: { blobKey: text },
  row: { uploadId: int8 },
  sql: 'SELECT upload_id AS "uploadId" FROM upload_part WHERE blob_key = :blobKey',
});

const BYTES = '(SELECT coalesce(sum(p.size), 0)::bigint FROM upload_part p WHERE p.upload_id = u.id)';

const WRONG_BYTES = statement({
  name: 'upload_check.wrong_bytes',
  params: { uploadId: int8, limit: int8 },
  row: WRONG_UPLOAD,
  sql: `SELECT u.id AS "uploadId", u.uid, u.share_id AS "shareId", u.name AS upload, u.received_bytes AS counted, ${BYTES} AS actual
   FROM upload u WHERE u.id > :uploadId AND u.received_bytes <> ${BYTES} ORDER BY u.id LIMIT :limit`,
});

const LOCK = statement({
  name: 'upload_check.lock',
  params: { uploadId: int8 },
  sql: 'SELECT FROM upload WHERE id = :uploadId FOR UPDATE',
});

const COUNT_BYTES = statement({
  name: 'upload_check.count_bytes',
  params: { uploadId: int8 },
  sql: `UPDATE upload u SET received_bytes = ${BYTES}, revision = revision + 1 WHERE u.id = :uploadId`,
});

/** Finds contradictions in uploads that are not finished. */
export class UploadCheckRepository {
  constructor(private readonly database: Queryable) {}

  /** A page of parts behind `blobKey`, in the order of their keys. */
  piecesAfter(blobKey: string, limit: number): Promise<StoredPiece[]> {
    return this.database.rows(PIECES_AFTER, { blobKey, limit });
  }

  /** The upload that has a content as its part; undefined for none. */
  async pieceOf(blobKey: string): Promise<number | undefined> {
    return (await this.database.rows(PIECE_OF, { blobKey }))[0]?.uploadId;
  }

  /** Uploads behind `uploadId` with a wrong number of bytes in their parts. */
  wrongBytes(uploadId: number, limit: number): Promise<WrongUpload[]> {
    return this.database.rows(WRONG_BYTES, { uploadId, limit });
  }

  /** Sums up the bytes of an upload again, inside a transaction. */
  async recount(uploadId: number): Promise<void> {
    await this.database.rows(LOCK, { uploadId });
    await this.database.rows(COUNT_BYTES, { uploadId });
  }
}
