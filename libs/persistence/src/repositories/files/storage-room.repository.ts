import type { Queryable } from '../../database';
import { bool, int4, int8, nullable } from '../../postgres-types';
import { statement } from '../../statement';
import { NodeWriteRepository } from './node-write.repository';

const ROOM_ROW = {
  quota: nullable(int8),
  used: int8,
  nodes: nullable(int8),
  maxNodes: int8,
  hasTrash: bool,
};

const ROOM = statement({
  name: 'storage.room',
  params: { storageId: int4, defaultMaxNodes: int8, uploadId: nullable(int8) },
  row: ROOM_ROW,
  sql: `SELECT CASE WHEN s.received_share_id IS NULL THEN a.quota_bytes END AS quota,
     root.size + coalesce((SELECT sum(u.received_bytes) FROM upload u WHERE u.storage_id = s.id AND u.id IS DISTINCT FROM :uploadId), 0)::bigint AS used, s.node_count AS nodes,
     CASE WHEN s.received_share_id IS NULL
       THEN coalesce((SELECT value::bigint FROM setting WHERE app = 'files' AND key = 'max_nodes_per_user'), :defaultMaxNodes::bigint)
       ELSE 0 END AS "maxNodes",
     s.received_share_id IS NULL AND EXISTS (SELECT FROM trashed_node t WHERE t.owner_uid = s.owner_uid) AS "hasTrash"
   FROM storage s
   JOIN user_account a ON a.uid = s.owner_uid
   JOIN node root ON root.storage_id = s.id AND root.path_hash = md5('')::uuid AND root.path = ''
   WHERE s.id = :storageId`,
});

const COUNT_NODES = statement({
  name: 'storage.count_nodes',
  params: { storageId: int4 },
  sql: `UPDATE storage SET node_count = (SELECT count(*) FROM node WHERE storage_id = :storageId AND path <> '') WHERE id = :storageId`,
});

const OLDEST_TRASH = statement({
  name: 'storage.oldest_trash',
  params: { storageId: int4 },
  row: { nodeId: int8 },
  sql: `SELECT t.node_id AS "nodeId" FROM trashed_node t JOIN node n ON n.id = t.node_id
   WHERE t.owner_uid = (SELECT owner_uid FROM storage WHERE id = :storageId) AND n.storage_id = :storageId
   ORDER BY t.deleted_at, t.node_id LIMIT 1`,
});

/** The bytes and nodes that a storage still takes; Infinity without a limit and at a partner's. */
export interface Room {
  /** Never negative. */
  readonly bytes: number;
  /** The same, but negative where more is there than the quota allows. */
  readonly balance: number;
  /** null: they were not counted yet. */
  readonly nodes: number | null;
  /** Whether nodes can be removed from the trash bin, which count as well. */
  readonly hasTrash: boolean;
}

/** Reads what users may still add to their storages. */
export class StorageRoomRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * How much the owner of the storage may still add. Bytes of unfinished uploads count as if they were files.
   * @param defaultMaxNodes limit of files and folders where none is set; 0 for none
   * @param uploadId an upload that does not count, since it is about to become a file
   */
  async room(storageId: number, defaultMaxNodes: number, uploadId?: number): Promise<Room> {
    const [row] = await this.database.rows(ROOM, { storageId, defaultMaxNodes, uploadId: uploadId ?? null });
    if (!row) return { bytes: Infinity, balance: Infinity, nodes: Infinity, hasTrash: false };
    const { quota, used, nodes, maxNodes, hasTrash } = row;
    const balance = (quota ?? Infinity) - used;
    return {
      bytes: Math.max(0, balance),
      balance,
      nodes: maxNodes === 0 ? Infinity : nodes === null ? null : Math.max(0, maxNodes - nodes),
      hasTrash,
    };
  }

  /** Removes for good what was deleted first; the storage is locked. Its contents are left to the sweep. */
  async removeOldestTrash(storageId: number): Promise<void> {
    const oldest = await this.database.rows(OLDEST_TRASH, { storageId });
    await new NodeWriteRepository(this.database).deleteSubtrees(oldest.map((row) => row.nodeId));
  }

  /** Counts the files and folders of a storage anew; the storage is locked. */
  async countNodes(storageId: number): Promise<void> {
    await this.database.rows(COUNT_NODES, { storageId });
  }
}
