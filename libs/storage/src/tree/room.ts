import { StorageRoomRepository, type Queryable, type Room } from '#persistence';
import { settingDefinition } from '#sharing';
import { TreeFailure } from './tree-failure';

export const DEFAULT_MAX_NODES = Number(settingDefinition('files', 'max_nodes_per_user')!.fallback);

/** Bytes and nodes that a change wants to add to a storage. */
export interface Growth {
  readonly bytes: number;
  readonly nodes: number;
}

/** Present room in a storage. It is only good for refusing hopeless work early. */
export function roomIn(database: Queryable, storageId: number, uploadId?: number): Promise<Room> {
  return new StorageRoomRepository(database).room(storageId, DEFAULT_MAX_NODES, uploadId);
}

/**
 * The one check of all growth of our own storages, inside a transaction that holds its lock and has not changed
 * anything yet. Old nodes in the trash bin are removed to make room, the oldest first.
 * @param uploadId the upload that becomes the new content
 * @param known the room of the storage, if it was read under the lock
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

/** @throws TreeFailure `quota-exceeded`, `too-many-nodes` if there is no room for `growth` */
export function refuseGrowth(room: Room, growth: Growth): void {
  if (growth.bytes > room.bytes) throw quotaExceeded();
  if (growth.nodes > (room.nodes ?? Infinity))
    throw new TreeFailure('too-many-nodes', 'The owner has as many files and folders as one user may have');
}

export const quotaExceeded = (): TreeFailure => new TreeFailure('quota-exceeded', 'Insufficient space');
