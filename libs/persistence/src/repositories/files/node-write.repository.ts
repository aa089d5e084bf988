import { SHARE_TYPES } from '#sharing';
import type { Queryable } from '../../database';
import { decision, statement } from '../../statement';
import { nodeColumns, type NodeRow } from './node-row';

/** A node that is to be: its content is durable already. */
export interface NewNode {
  readonly storageId: number;
  readonly parentId: number;
  readonly ownerUid: string;
  readonly name: string;
  /** In the storage of its owner. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string | null;
  readonly checksum: string | null;
}

/** Content that replaces what a file held. */
export interface NewContent {
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string;
  readonly checksum: string;
}

/** Where a moved node will stand. */
export interface MoveTarget {
  readonly storageId: number;
  readonly ownerUid: string;
  readonly parentId: number;
  readonly name: string;
  readonly path: string;
  readonly mimetype: string;
}

const LOCK_STORAGES = statement(
  'storage.lock',
  `SELECT id FROM storage WHERE id = ANY($1::integer[]) ORDER BY id FOR NO KEY UPDATE`,
);

const INSERT = statement<NodeRow>(
  'node.insert',
  `INSERT INTO node AS n (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key, checksum)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   RETURNING ${nodeColumns('n')}`,
);

const OVERWRITE = statement<NodeRow>(
  'node.overwrite',
  `UPDATE node n SET size = $2, mtime = $3, etag = $4, blob_key = $5, checksum = $6 WHERE n.id = $1
   RETURNING ${nodeColumns('n')}`,
);

// Rows are locked in the order of their ids: two writers below different folders never wait for each other in a circle.
const PROPAGATE = statement(
  'node.propagate',
  `WITH RECURSIVE up AS (
     SELECT id, parent_id FROM node WHERE id = $1
     UNION ALL
     SELECT n.id, n.parent_id FROM node n JOIN up ON n.id = up.parent_id
   ), locked AS (
     SELECT n.id FROM node n WHERE n.id IN (SELECT id FROM up) ORDER BY n.id FOR NO KEY UPDATE
   )
   UPDATE node n SET size = n.size + $2, etag = md5($3 || n.id), mtime = greatest(n.mtime, $4)
   FROM locked WHERE n.id = locked.id`,
);

const DELETE = decision<{ blobKey: string | null }>(
  'node.delete_subtrees',
  (acting) => `WITH RECURSIVE sub AS (
     SELECT id FROM node WHERE id = ANY($1::bigint[])
     UNION ALL
     SELECT n.id FROM node n JOIN sub ON n.parent_id = sub.id
   ), ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s JOIN sub ON s.node_id = sub.id WHERE s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   )
   DELETE FROM node WHERE id IN (SELECT id FROM sub) AND ${acting} RETURNING blob_key AS "blobKey"`,
);

const MOVE = statement(
  'node.move_subtree',
  `WITH RECURSIVE sub AS (
     SELECT id, path FROM node WHERE id = $1
     UNION ALL
     SELECT n.id, n.path FROM node n JOIN sub ON n.parent_id = sub.id
   ), top AS (SELECT char_length(path) AS length FROM node WHERE id = $1)
   UPDATE node n SET
     storage_id = $2, owner_uid = $3, path = $6 || substr(n.path, top.length + 1),
     parent_id = CASE WHEN n.id = $1 THEN $4 ELSE n.parent_id END,
     name = CASE WHEN n.id = $1 THEN $5 ELSE n.name END,
     mimetype = CASE WHEN n.id = $1 THEN $7 ELSE n.mimetype END
   FROM sub, top WHERE n.id = sub.id`,
);

const SETTLE_RESHARES = statement('node.settle_reshares', 'SELECT settle_reshares($1, $2, NULL, NULL)');

/** The new owner needs no share of what is theirs, and no place for it among what they received. */
const GIVE_SHARES = decision(
  'node.give_shares_of_subtree',
  (acting) => `WITH RECURSIVE sub AS (
     SELECT id FROM node WHERE id = $1
     UNION ALL
     SELECT n.id FROM node n JOIN sub ON n.parent_id = sub.id
   ), given AS MATERIALIZED (
     SELECT s.id, s.share_type = ${SHARE_TYPES.user} AND s.recipient_canonical = $2 AS to_owner FROM share s JOIN sub ON s.node_id = sub.id WHERE ${acting}
   ), ended AS (
     DELETE FROM share WHERE id IN (SELECT id FROM given WHERE to_owner)
   ), unmounted AS (
     DELETE FROM share_recipient WHERE uid = $2 AND share_id IN (SELECT id FROM given WHERE NOT to_owner)
   ), told AS (
     DELETE FROM notification t USING given WHERE t.app = 'files_sharing' AND t.object_type = 'reshare' AND t.object_id = given.id::text
   )
   UPDATE share SET owner_uid = $2, access_lost_at = NULL WHERE id IN (SELECT id FROM given WHERE NOT to_owner)`,
);

const NEW_IDS = statement<{ id: number }>(
  'node.new_ids',
  `SELECT nextval(pg_get_serial_sequence('node', 'id')) AS id FROM generate_series(1, $1::integer)`,
);

const INSERT_MANY = statement(
  'node.insert_many',
  `INSERT INTO node (id, storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key, checksum)
   OVERRIDING SYSTEM VALUE
   SELECT r.id, $1, r.parent_id, $2, r.name, r.path, r.kind, r.mimetype, r.size, r.mtime, md5($3 || r.id), r.blob_key, r.checksum
   FROM jsonb_to_recordset($4::jsonb) AS r(id bigint, parent_id bigint, name text, path text, kind text, mimetype text,
     size bigint, mtime timestamptz, blob_key text, checksum text)`,
);

const COPY_PROPERTIES = statement(
  'node.copy_properties',
  `INSERT INTO dead_property (node_id, namespace, name, value)
   SELECT pair.copy, d.namespace, d.name, d.value
   FROM unnest($1::bigint[], $2::bigint[]) AS pair(original, copy)
   JOIN dead_property d ON d.node_id = pair.original`,
);

/** A copied node: like the original but for its place, what its name says, and its content's key. */
export interface NodeCopy {
  readonly original: NodeRow;
  readonly id: number;
  readonly parentId: number;
  readonly name: string;
  readonly path: string;
  readonly mimetype: string;
  readonly blobKey: string | null;
}

const PATH_LIMITS = [
  'node_path_check',
  'share_recipient_file_target_check',
  'received_share_file_target_check',
];

/** Whether a move failed because a path below the moved folder, or a mount's, would be longer than paths can be. */
export function exceedsPathLimit(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23514' && PATH_LIMITS.includes(constraint ?? '');
}

/** Changes the node tree; every call belongs inside a transaction that holds the locks of the storages it changes. */
export class NodeWriteRepository {
  constructor(private readonly transaction: Queryable) {}

  /** Makes this transaction the only writer of these storages until it ends. */
  async lockStorages(storageIds: readonly number[]): Promise<void> {
    await this.transaction.rows(LOCK_STORAGES, [storageIds]);
  }

  async insert(node: NewNode): Promise<NodeRow> {
    const {
      storageId,
      parentId,
      ownerUid,
      name,
      path,
      kind,
      mimetype,
      size,
      mtime,
      etag,
      blobKey,
      checksum,
    } = node;
    const values = [
      storageId,
      parentId,
      ownerUid,
      name,
      path,
      kind,
      mimetype,
      size,
      mtime,
      etag,
      blobKey,
      checksum,
    ];
    const [row] = await this.transaction.rows(INSERT, values);
    return row!;
  }

  async overwrite(nodeId: number, content: NewContent): Promise<NodeRow> {
    const { size, mtime, etag, blobKey, checksum } = content;
    const [row] = await this.transaction.rows(OVERWRITE, [nodeId, size, mtime, etag, blobKey, checksum]);
    return row!;
  }

  /** Gives `folderId` and all folders above it a new etag and adds `sizeDelta` bytes (which may be negative). */
  async propagate(folderId: number, sizeDelta: number, etag: string, at: Date): Promise<void> {
    await this.transaction.rows(PROPAGATE, [folderId, sizeDelta, etag, at]);
  }

  /** Removes nodes and all below them for good. @returns the keys of the contents that nothing refers to any more */
  async deleteSubtrees(nodeIds: readonly number[]): Promise<string[]> {
    const rows = await this.transaction.rows(DELETE, [nodeIds]);
    return rows.flatMap((row) => row.blobKey ?? []);
  }

  /** Moves a node and all below it, within a storage or into another one, in one statement. */
  async moveSubtree(nodeId: number, to: MoveTarget): Promise<void> {
    await this.transaction.rows(MOVE, [
      nodeId,
      to.storageId,
      to.ownerUid,
      to.parentId,
      to.name,
      to.path,
      to.mimetype,
    ]);
  }

  /** Applies the rule for initiators without access to what they shared on of the moved node and of all below it. */
  async settleReshares({ storageId, path }: MoveTarget): Promise<void> {
    await this.transaction.rows(SETTLE_RESHARES, [storageId, path]);
  }

  /** Shares belong to the node: those of a moved node and of all below it stay, with their initiators, under its new owner. */
  async giveSharesOfSubtree(nodeId: number, ownerUid: string): Promise<void> {
    await this.transaction.rows(GIVE_SHARES, [nodeId, ownerUid]);
  }

  async newIds(count: number): Promise<number[]> {
    return (await this.transaction.rows(NEW_IDS, [count])).map((row) => row.id);
  }

  /** Inserts copies (parents before their children need not come first) with their dead properties. */
  async insertCopies(
    storageId: number,
    ownerUid: string,
    copies: readonly NodeCopy[],
    etag: string,
  ): Promise<void> {
    const records = copies.map((copy) => ({
      id: copy.id,
      parent_id: copy.parentId,
      name: copy.name,
      path: copy.path,
      kind: copy.original.kind,
      mimetype: copy.mimetype,
      size: copy.original.size,
      mtime: copy.original.mtime,
      blob_key: copy.blobKey,
      checksum: copy.original.checksum,
    }));
    await this.transaction.rows(INSERT_MANY, [storageId, ownerUid, etag, JSON.stringify(records)]);
    await this.transaction.rows(COPY_PROPERTIES, [
      copies.map((copy) => copy.original.id),
      copies.map((copy) => copy.id),
    ]);
  }
}
