import type { SharedNode } from '#sharing';
import { int4, int8, nullable, type RowOf, text, textOf, timestamptz } from '../../postgres-types';

/** A present or earlier content of a file. */
export const CONTENT_COLUMNS = {
  /** In bytes; for a folder: all files below it. */
  size: int8,
  mtime: timestamptz,
  /** Opaque, without quotes. */
  etag: text,
  /** `SHA1:<hex> MD5:<hex> ADLER32:<hex>`; null if it was never computed. */
  checksum: nullable(text),
};

/** One row of the node tree without the columns that its folder determines. */
export const CHILD_ROW = {
  id: int8,
  name: text,
  kind: textOf<'file' | 'folder'>(),
  mimetype: text,
  ...CONTENT_COLUMNS,
  /** null for folders, and for content at a partner. */
  blobKey: nullable(text),
  /** Time at which a partner's folder was last read with its entries; null for never, and for local nodes. */
  listedAt: nullable(timestamptz),
};

/** One row of the node tree, as the owner of its storage sees it. */
export const NODE_ROW = {
  ...CHILD_ROW,
  storageId: int4,
  /** null for the root of a storage. */
  parentId: nullable(int8),
  ownerUid: text,
  /** `''` for the root of a storage, otherwise a path such as `/folder/name`. */
  path: text,
  /** The share through which the owner of its storage has it from a partner; null for local nodes. */
  receivedShareId: nullable(int8),
};
export type NodeRow = RowOf<typeof NODE_ROW>;

/** The select list for a CHILD_ROW of the table `alias`. */
export function childColumns(alias: string): string {
  return [
    `${alias}.id`,
    `${alias}.name`,
    `${alias}.kind`,
    `${alias}.mimetype`,
    `${alias}.size`,
    `${alias}.mtime`,
    `${alias}.etag`,
    `${alias}.checksum`,
    `${alias}.blob_key AS "blobKey"`,
    `${alias}.listed_at AS "listedAt"`,
  ].join(', ');
}

/** The select list for a NodeRow of the table `alias`. */
export function nodeColumns(alias: string): string {
  return [
    childColumns(alias),
    `${alias}.storage_id AS "storageId"`,
    `${alias}.parent_id AS "parentId"`,
    `${alias}.owner_uid AS "ownerUid"`,
    `${alias}.path`,
    `${alias}.received_share_id AS "receivedShareId"`,
  ].join(', ');
}

/** A direct child of the folder, as a whole row: both are in one storage. */
export const childOf = (
  { id, storageId, ownerUid, path, receivedShareId }: NodeRow,
  child: RowOf<typeof CHILD_ROW>,
): NodeRow => ({
  ...child,
  storageId,
  parentId: id,
  ownerUid,
  path: `${path}/${child.name}`,
  receivedShareId,
});

/** The node, as sharing needs it. */
export const sharedNodeOf = (row: NodeRow): SharedNode => ({
  nodeId: row.id,
  kind: row.kind,
  name: row.name,
  ownerPath: row.path,
  ownerUid: row.ownerUid,
  mimetype: row.mimetype,
  storageId: row.storageId,
  parentId: row.parentId,
  isRemote: row.receivedShareId !== null,
});
