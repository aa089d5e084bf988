import type { Queryable } from '../../database';
import { int4, int8, nullable, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { ROOM_ROW, roomOf } from './room-sql';
import { NodeWriteRepository } from './node-write.repository';

const ROOM = statement({
  name: 'storage.room',
  isShortRead: true,
  params: { storageId: int4, defaultMaxNodes: int8, uploadId: nullable(int8) },
  row: ROOM_ROW,
  sql: roomOf(':storageId'),
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

/** Bytes and nodes that still fit into a storage; Infinity without a limit and at a partner. */
export interface Room {
  /** Never negative. */
  readonly bytes: number;
  /** The same, but negative when the quota is exceeded. */
  readonly balance: number;
  /** null: not counted yet. */
  readonly nodes: number | null;
  /** Whether nodes can be removed from the trash bin, which counts as well. */
  readonly hasTrash: boolean;
}

export function toRoom({ quota, used, storedNodes, maxNodes, hasTrash }: RowOf<typeof ROOM_ROW>): Room {
  const balance = (quota ?? Infinity) - used;
  return {
    bytes: Math.max(0, balance),
    balance,
    nodes: maxNodes === 0 ? Infinity : storedNodes === null ? null : Math.max(0, maxNodes - storedNodes),
    hasTrash,
  };
}

/** Reads the room that users have left in their storages. */
export class StorageRoomRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * The room that the owner of the storage has left. Bytes of unfinished uploads count as if they were files.
   * @param defaultMaxNodes limit of files and folders if none is set; 0 for none
   * @param uploadId an upload that does not count, since it is about to become a file
   */
  async room(storageId: number, defaultMaxNodes: number, uploadId?: number): Promise<Room> {
    const [row] = await this.database.rows(ROOM, { storageId, defaultMaxNodes, uploadId: uploadId ?? null });
    if (!row) return { bytes: Infinity, balance: Infinity, nodes: Infinity, hasTrash: false };
    return toRoom(row);
  }

  /** Removes the oldest deletions for good, under the lock of the storage. The sweep removes their contents. */
  async removeOldestTrash(storageId: number): Promise<void> {
    const oldest = await this.database.rows(OLDEST_TRASH, { storageId });
    await new NodeWriteRepository(this.database).deleteSubtrees(oldest.map((row) => row.nodeId));
  }

  /** Counts the files and folders of a storage again, under the lock of the storage. */
  async countNodes(storageId: number): Promise<void> {
    await this.database.rows(COUNT_NODES, { storageId });
  }
}
