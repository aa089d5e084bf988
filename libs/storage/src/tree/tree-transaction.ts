import {
  MountRepository,
  NodeRepository,
  NodeWriteRepository,
  type Database,
  type Place,
  type Queryable,
} from '#persistence';
import { newEtag } from './etag';
import type { NodePath } from './node-path';
import { TreeFailure } from './tree-failure';

/**
 * One change of the tree: what it touches stays as it was found until it ends.
 * Storages are locked as a whole, in the order of their ids; every change reaches their root's etag anyway.
 */
export class TreeTransaction {
  readonly nodes: NodeRepository;
  readonly writes: NodeWriteRepository;
  readonly mounts: MountRepository;
  /** The moment of the change, for the mtimes of the folders above it. */
  readonly at = new Date();
  /** What the etags of this change are made from. */
  readonly etag = newEtag();

  private constructor(
    transaction: Queryable,
    readonly uid: string,
  ) {
    this.nodes = new NodeRepository(transaction);
    this.writes = new NodeWriteRepository(transaction);
    this.mounts = new MountRepository(transaction);
  }

  /** Runs `work` on the places of `paths`, found under the locks of their storages; rolled back when it throws. */
  static run<T, const P extends readonly NodePath[]>(
    database: Database,
    uid: string,
    paths: P,
    work: (change: TreeTransaction, places: { [K in keyof P]: Place }) => Promise<T>,
  ): Promise<T> {
    return database.transaction(async (transaction) => {
      const change = new TreeTransaction(transaction, uid);
      return work(change, (await change.lockPlaces(paths)) as { [K in keyof P]: Place });
    });
  }

  /** New etag, size and mtime for a folder and all above it. */
  async propagate(folderId: number, sizeDelta: number): Promise<void> {
    await this.writes.propagate(folderId, sizeDelta, this.etag, this.at);
  }

  private async lockPlaces(paths: readonly NodePath[]): Promise<Place[]> {
    const locked = new Set<number>();
    for (;;) {
      const places: Place[] = [];
      for (const path of paths) places.push(await placeOf(this.nodes, this.uid, path));
      const missing = [...new Set(places.map((place) => place.storageId))].filter((id) => !locked.has(id));
      if (missing.length === 0) return places;
      // What waiting for the lock has changed is seen by looking again.
      await this.writes.lockStorages(missing);
      for (const id of missing) locked.add(id);
    }
  }
}

/** Where a path leads; the user's storage is made when he has none. @throws TreeFailure for a user who was removed */
export async function placeOf(nodes: NodeRepository, uid: string, path: NodePath): Promise<Place> {
  const place = await nodes.place(uid, path);
  if (place) return place;
  await nodes.makeStorage(uid);
  const made = await nodes.place(uid, path);
  if (!made) throw new TreeFailure('not-found', 'The user has no files');
  return made;
}
