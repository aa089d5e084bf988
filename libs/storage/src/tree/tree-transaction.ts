import {
  LockRepository,
  MountRepository,
  NodeRepository,
  NodeWriteRepository,
  StorageRoomRepository,
  UploadRepository,
  TrashRepository,
  VersionRepository,
  type ContentAuthor,
  type Database,
  type NodeRow,
  type Queryable,
  type Room,
} from '#persistence';
import { newEtag } from './etag';
import type { GrownFolders } from './grown-folders';
import type { NodePath } from './node-path';
import type { PutOptions } from './put-content';
import type { ReceivedShares } from './received-shares';
import { TreeFailure } from './tree-failure';
import { mountsOf, type TreeMounts } from './tree-mounts';
import type { Place } from './place';
import { placeAndRoomOf, placeOf, type TreeView } from './tree-view';

/**
 * One change of the tree: its nodes stay as they were found until it ends.
 * Storages are locked as a whole, in the order of their ids; every change reaches their root's etag anyway.
 */
export class TreeTransaction {
  readonly nodes: NodeRepository;
  readonly writes: NodeWriteRepository;
  readonly room: StorageRoomRepository;
  readonly mounts: TreeMounts;
  readonly uploads: UploadRepository;
  readonly trash: TrashRepository;
  readonly versions: VersionRepository;
  /** Author of the contents that this change writes. */
  readonly author: ContentAuthor;
  /** Keys of contents that nothing refers to after this change: to be discarded when it is committed. */
  readonly locks: LockRepository;
  readonly orphaned: string[] = [];
  /** The moment of the change, for the mtimes of the folders above it. */
  readonly at = new Date();
  /** Source of the etags of this change. */
  readonly etag = newEtag();

  private constructor(
    private readonly transaction: Queryable,
    private readonly view: TreeView,
    received: ReceivedShares,
    private readonly grown?: GrownFolders,
  ) {
    this.nodes = new NodeRepository(transaction);
    this.writes = new NodeWriteRepository(transaction);
    this.room = new StorageRoomRepository(transaction);
    this.uploads = new UploadRepository(transaction);
    this.mounts = mountsOf(view, transaction, received);
    this.trash = new TrashRepository(transaction);
    this.versions = new VersionRepository(transaction);
    this.author =
      view.kind === 'user'
        ? { author: view.uid, throughShare: null }
        : { author: null, throughShare: view.shareId };
    this.locks = new LockRepository(transaction);
  }

  /**
   * Runs `work` on the places of `paths`, found under the locks of their storages; rolled back when it throws.
   * @param reach places inside shares from partners are refused where it changes nodes
   */
  static run<T, const P extends readonly NodePath[]>(
    database: Database,
    received: ReceivedShares,
    view: TreeView,
    paths: P,
    work: (change: TreeTransaction, places: { [K in keyof P]: Place }) => Promise<T>,
    reach: 'own-content' | 'with-partners' = 'own-content',
  ): Promise<T> {
    return database.transaction(async (transaction) => {
      const change = new TreeTransaction(transaction, view, received);
      const places = await change.lockPlaces(paths, []);
      if (reach === 'own-content') refuseInPartners(places, paths);
      return work(change, places as { [K in keyof P]: Place });
    });
  }

  /**
   * The same at one path, in a transaction that holds the lock of the storage in which the path was found before.
   * @param grown folders that get what `propagate` gives them when all changes of the transaction are made
   * @param uploadId an upload that does not count for the room
   */
  static async within<T>(
    transaction: Queryable,
    grown: GrownFolders,
    received: ReceivedShares,
    view: TreeView,
    { path, storageId, uploadId }: { path: NodePath; storageId: number; uploadId: number | undefined },
    work: (
      change: TreeTransaction,
      found: { readonly place: Place; readonly room: Room; readonly grownBytes: number },
    ) => Promise<T>,
  ): Promise<T> {
    let change = new TreeTransaction(transaction, view, received, grown);
    let found = await placeAndRoomOf(transaction, view, path, uploadId);
    if (found.place.storageId !== storageId) {
      // Something else stands there by now, in a storage of which the others know nothing.
      change = new TreeTransaction(transaction, view, received);
      await change.lockPlaces([path], [storageId]);
      found = await placeAndRoomOf(transaction, view, path, uploadId);
    }
    refuseInPartners([found.place], [path]);
    return work(change, { ...found, grownBytes: change.grown?.bytes ?? 0 });
  }

  /** New etag, size and mtime for a folder and all above it. */
  async propagate(folderId: number, sizeDelta: number): Promise<void> {
    if (this.grown) this.grown.note(folderId, sizeDelta);
    else await this.writes.propagate(folderId, sizeDelta, this.etag, this.at);
  }

  /**
   * Takes an entry of the tree away, with all below it, into the trash bin of its owner. Older entries there, or this one,
   * are removed for good where the quota has no room for them.
   */
  async discard(row: NodeRow, place: Place): Promise<void> {
    await this.trash.put(row.id, await this.shareTo(place));
    await this.propagate(row.parentId!, -row.size);
    const makingRoom = await this.trash.overShare(row.ownerUid);
    if (makingRoom.length > 0) this.orphaned.push(...(await this.writes.deleteSubtrees(makingRoom)));
  }

  /** Whether one of these folders of a storage is shared with anybody. */
  async anySharedOut(storageId: number, folders: readonly NodePath[]): Promise<boolean> {
    return new MountRepository(this.transaction).anySharedOut(storageId, folders);
  }

  /** Writes something else in the same transaction. */
  takeAlong(work: NonNullable<PutOptions['along']>, path: NodePath): Promise<void> {
    return work(this.transaction, path);
  }

  /** Another place of a storage that is locked already. */
  async place(path: NodePath): Promise<Place> {
    return placeOf(this.transaction, this.view, path);
  }

  /**
   * The place that a received share leaves when its recipient gives it up; the storage beneath is locked already.
   * @throws TreeFailure `forbidden` where the share is not theirs to leave
   */
  async placeWithoutMount(path: NodePath): Promise<Place> {
    await this.mounts.declineAtOrBelow(path);
    return this.place(path);
  }

  /** The share through which the viewer reaches a place; null in their own storage. */
  private async shareTo({ mountTarget }: Place): Promise<number | null> {
    if (this.view.kind === 'shared-node') return this.view.shareId;
    if (mountTarget === null) return null;
    return new MountRepository(this.transaction).shareAt(this.view.uid, mountTarget);
  }

  private async lockPlaces(paths: readonly NodePath[], lockedBefore: readonly number[]): Promise<Place[]> {
    const locked = new Set(lockedBefore);
    for (;;) {
      const places: Place[] = [];
      for (const path of paths) places.push(await this.place(path));
      const missing = [...new Set(places.map((place) => place.storageId))].filter((id) => !locked.has(id));
      if (missing.length === 0) return places;
      // Changes made while this waited for the lock are seen by reading again.
      await this.writes.lockStorages(missing);
      for (const id of missing) locked.add(id);
    }
  }
}

/**
 * Inside a share from a partner nothing is changed by a transaction of ours; only its mount is. The caller has probed
 * before: it was mounted since.
 */
function refuseInPartners(places: readonly Place[], [first]: readonly NodePath[]): void {
  const isOfMount = places[0]?.mountTarget === first;
  if (!isOfMount && places.some((place) => place.receivedShareId !== null))
    throw new TreeFailure('changed-meanwhile', 'Something else was mounted there meanwhile');
}
