/** One row of the node tree, as the owner of its storage has it. */
export interface NodeRow {
  readonly id: number;
  readonly storageId: number;
  /** null for the root of a storage. */
  readonly parentId: number | null;
  readonly ownerUid: string;
  readonly name: string;
  /** `''` for the root of a storage, otherwise `/folder/name`. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  /** Bytes; of a folder: of all files below it. */
  readonly size: number;
  readonly mtime: Date;
  /** Opaque, without quotes. */
  readonly etag: string;
  /** null for folders, and for what lies at a partner's. */
  readonly blobKey: string | null;
  /** `SHA1:<hex> MD5:<hex>`; null where it was never computed. */
  readonly checksum: string | null;
  /** The share through which a partner gives it to the owner of its storage; null for what lies here. */
  readonly receivedShareId: number | null;
  /** When a partner's folder was last read with its entries; null for never, and for what lies here. */
  readonly listedAt: Date | null;
}

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
