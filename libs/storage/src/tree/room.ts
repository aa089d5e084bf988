import { StorageRoomRepository, type Queryable, type Room } from '#persistence';
import { settingDefinition } from '#sharing';
import { TreeFailure } from './tree-failure';

export const DEFAULT_MAX_NODES = Number(settingDefinition('files', 'max_nodes_per_user')!.fallback);

/** Bytes and nodes that somebody wants to add to a storage. */
export interface Growth {
  readonly bytes: number;
  readonly nodes: number;
}

/** How much its owner may add to a storage; as of now, so that it only spares work that cannot succeed. */
export function roomIn(database: Queryable, storageId: number, uploadId?: number): Promise<Room> {
  return new StorageRoomRepository(database).room(storageId, DEFAULT_MAX_NODES, uploadId);
}

/**
 * The one check of all that adds to a storage of our own, inside a transaction that has its lock and has done nothing
 * of the growth yet. Nodes in the trash bin make room for new ones, the oldest first.
 * @param uploadId the upload that the growth is made of
 * @param known the room of the storage, where it was read under the lock
 * @throws TreeFailure `quota-exceeded`, `too-many-nodes`
 */
export async function admitGrowth(
  rooms: StorageRoomRepository,
  storageId: number,
  growth: Growth,
  uploadId?: number,
  known?: Room,
): Promise<void> {
  let room = known ?? (await rooms.room(storageId, DEFAULT_MAX_NODES, uploadId));
  if (room.nodes === null && growth.nodes > 0) {
    await rooms.countNodes(storageId);
    room = await rooms.room(storageId, DEFAULT_MAX_NODES, uploadId);
  }
  while (room.hasTrash && growth.nodes > (room.nodes ?? Infinity)) {
    await rooms.removeOldestTrash(storageId);
    room = await rooms.room(storageId, DEFAULT_MAX_NODES, uploadId);
  }
  refuseGrowth(room, growth);
}

/** @throws TreeFailure `quota-exceeded`, `too-many-nodes` when there is no room for `growth` */
export function refuseGrowth(room: Room, growth: Growth): void {
  if (growth.bytes > room.bytes) throw quotaExceeded();
  if (growth.nodes > (room.nodes ?? Infinity))
    throw new TreeFailure('too-many-nodes', 'The owner has as many files and folders as one user may have');
}

export const quotaExceeded = (): TreeFailure => new TreeFailure('quota-exceeded', 'Insufficient space');
