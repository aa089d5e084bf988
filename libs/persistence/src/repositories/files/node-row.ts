import { int4, int8, nullable, type RowOf, text, textOf, timestamptz } from '../../postgres-types';

/** A content that a file has or had. */
export const CONTENT_COLUMNS = {
  /** Bytes; of a folder: of all files below it. */
  size: int8,
  mtime: timestamptz,
  /** Opaque, without quotes. */
  etag: text,
  /** `SHA1:<hex> MD5:<hex> ADLER32:<hex>`; null where it was never computed. */
  checksum: nullable(text),
};

/** One row of the node tree, as the owner of its storage has it. */
export const NODE_ROW = {
  id: int8,
  storageId: int4,
  /** null for the root of a storage. */
  parentId: nullable(int8),
  ownerUid: text,
  name: text,
  /** `''` for the root of a storage, otherwise `/folder/name`. */
  path: text,
  kind: textOf<'file' | 'folder'>(),
  mimetype: text,
  ...CONTENT_COLUMNS,
  /** null for folders, and for what lies at a partner's. */
  blobKey: nullable(text),
  /** The share through which a partner gives it to the owner of its storage; null for what lies here. */
  receivedShareId: nullable(int8),
  /** When a partner's folder was last read with its entries; null for never, and for what lies here. */
  listedAt: nullable(timestamptz),
};
export type NodeRow = RowOf<typeof NODE_ROW>;

/** The select list of a NodeRow from the table under `alias`. */
export function nodeColumns(alias: string): string {
  return [
    `${alias}.id`,
    `${alias}.storage_id AS "storageId"`,
    `${alias}.parent_id AS "parentId"`,
    `${alias}.owner_uid AS "ownerUid"`,
    `${alias}.name`,
    `${alias}.path`,
    `${alias}.kind`,
    `${alias}.mimetype`,
    `${alias}.size`,
    `${alias}.mtime`,
    `${alias}.etag`,
    `${alias}.blob_key AS "blobKey"`,
    `${alias}.checksum`,
    `${alias}.received_share_id AS "receivedShareId"`,
    `${alias}.listed_at AS "listedAt"`,
  ].join(', ');
}
