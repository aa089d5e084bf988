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
import { admitGrowth, refuseGrowth, type Growth } from './room';
import type { ReceivedShares } from './received-shares';
import { TreeFailure } from './tree-failure';
import { mountsOf, UNCHANGEABLE_MOUNTS, type TreeMounts } from './tree-mounts';
import type { Place } from './place';
import { placeAndRoomOf, placeOf, type TreeView } from './tree-view';

/** A path as it was found before its transaction. */
interface ExpectedPlace {
  readonly path: NodePath;
  readonly storageId: number;
  /** The path in the storage, if nothing is there, and nothing else is changed than that. */
  readonly newPath: string | undefined;
  /** An upload that does not count against the room. */
  readonly uploadId: number | undefined;
}

/**
 * One change of the tree: until it ends, nobody else changes its nodes.
 * Storages are locked as a whole, in the order of their ids; every change updates their root's etag anyway.
 */
export class TreeTransaction {
  readonly nodes: NodeRepository;
  readonly writes: NodeWriteRepository;
  readonly room: StorageRoomRepository;
  readonly uploads: UploadRepository;
  readonly trash: TrashRepository;
  readonly versions: VersionRepository;
  /** Author of the contents that this change writes. */
  readonly author: ContentAuthor;
  /** Keys of contents that lose their nodes with this change: they are discarded after the commit. */
  readonly locks: LockRepository;
  readonly orphaned: string[] = [];
  /** Time of the change, for the mtimes of the folders above it. */
  readonly at = new Date();
  /** Source of this change's etags. */
  readonly etag = newEtag();
  /** Owners of trash bins that got an entry. */
  private readonly filledTrashOf = new Set<string>();

  private constructor(
    private readonly transaction: Queryable,
    private readonly view: TreeView,
    readonly mounts: TreeMounts,
    private readonly grown?: GrownFolders,
  ) {
    this.nodes = new NodeRepository(transaction);
    this.writes = new NodeWriteRepository(transaction);
    this.room = new StorageRoomRepository(transaction);
    this.uploads = new UploadRepository(transaction);
    this.trash = new TrashRepository(transaction);
    this.versions = new VersionRepository(transaction);
    this.author =
      view.kind === 'user'
        ? { author: view.uid, throughShare: null }
        : { author: null, throughShare: view.shareId };
    this.locks = new LockRepository(transaction);
  }

  /**
   * Runs `work` on the places of `paths`, which are looked up under the locks of their storages; rolled back if it throws.
   * @param reach whether places inside shares from partners are refused, because nodes are changed
   */
  static async run<T, const P extends readonly NodePath[]>(
    database: Database,
    received: ReceivedShares,
    view: TreeView,
    paths: P,
    work: (change: TreeTransaction, places: { [K in keyof P]: Place }) => Promise<T>,
    reach: 'own-content' | 'with-partners' = 'own-content',
  ): Promise<T> {
    const policy = await received.policy.current();
    return database.transaction(async (transaction) => {
      const change = new TreeTransaction(transaction, view, mountsOf(view, transaction, received, policy));
      const places = await change.lockPlaces(paths, []);
      if (reach === 'own-content') refuseInPartners(places, paths);
      const result = await work(change, places as { [K in keyof P]: Place });
      await change.limitTrashBins();
      return result;
    });
  }

  /**
   * The same for one path, in a transaction that holds the lock of the storage that the path had before. It changes no mounts.
   * @param grown collects folders for `propagate` until all changes of the transaction are made
   * @throws TreeFailure `changed-meanwhile` if the new path is no longer new or has moved, and others change the storage in this transaction
   */
  static async within<T>(
    transaction: Queryable,
    grown: GrownFolders,
    view: TreeView,
    { path, storageId, newPath, uploadId }: ExpectedPlace,
    work: (change: TreeTransaction, found: { readonly place: Place; readonly room: Room }) => Promise<T>,
  ): Promise<T> {
    let change = new TreeTransaction(transaction, view, UNCHANGEABLE_MOUNTS, grown);
    let found = await placeAndRoomOf(transaction, view, path, uploadId);
    if (found.place.storageId !== storageId) {
      // The path has another target by now, in a storage that the other changes do not lock.
      change = new TreeTransaction(transaction, view, UNCHANGEABLE_MOUNTS);
      await change.lockPlaces([path], [storageId]);
      found = await placeAndRoomOf(transaction, view, path, uploadId);
    } else if (newPath !== undefined && grown.isShared && !isNewAt(newPath, found.place)) {
      // Another change of this transaction may write there. Alone, it may have any place.
      throw changedMeanwhile();
    }
    refuseInPartners([found.place], [path]);
    return work(change, found);
  }

  /**
   * Admits growth of a storage as `admitGrowth`, beside the growth by other changes of this transaction.
   * @param known the room of the storage, if it was read under the lock, perhaps before other changes that run at once; without it, the room
   *   is read now, with their nodes
   */
  async admitGrowth(storageId: number, growth: Growth, uploadId?: number, known?: Room): Promise<void> {
    const others = this.grown?.promise(growth) ?? { bytes: 0, nodes: 0 };
    const nodes = growth.nodes + (known ? others.nodes : 0);
    const all = { bytes: growth.bytes + others.bytes, nodes };
    // Alone, it reads the exact room, and removes no more of the trash bin than it needs.
    if (known && others.nodes > 0) refuseGrowth(known, all);
    await admitGrowth(this.room, storageId, all, uploadId, known);
  }

  /** Gives a folder and all folders above it a new etag, size and mtime. */
  async propagate(folderId: number, sizeDelta: number): Promise<void> {
    if (this.grown) this.grown.note(folderId, sizeDelta);
    else await this.writes.propagate(folderId, sizeDelta, this.etag, this.at);
  }

  /**
   * Removes an entry of the tree, with everything below it, into the trash bin of its owner. At the end of the change, older entries there,
   * or this one, are removed for good if the quota has no room for them.
   */
  async discard(row: NodeRow, place: Place): Promise<void> {
    await this.trash.put(row.id, await this.shareTo(place));
    await this.propagate(row.parentId!, -row.size);
    if (place.mountTarget !== null) await this.mounts.placeAgainBelow(row.ownerUid, row.path);
    this.filledTrashOf.add(row.ownerUid);
  }

  /** An entry that this change restores is out of the trash bin by now. */
  private async limitTrashBins(): Promise<void> {
    for (const ownerUid of this.filledTrashOf) {
      const excess = await this.trash.overShare(ownerUid);
      if (excess.length > 0) this.orphaned.push(...(await this.writes.deleteSubtrees(excess)));
    }
  }

  /** Whether one of these folders of a storage is shared. */
  async anySharedOut(storageId: number, folders: readonly NodePath[]): Promise<boolean> {
    return new MountRepository(this.transaction).anySharedOut(storageId, folders);
  }

  /** Adds another write to the same transaction. */
  takeAlong(work: NonNullable<PutOptions['along']>, path: NodePath): Promise<void> {
    return work(this.transaction, path);
  }

  /** Another place of an already locked storage. */
  async place(path: NodePath): Promise<Place> {
    return placeOf(this.transaction, this.view, path);
  }

  /**
   * The place that becomes free when its recipient leaves a received share; the storage beneath is already locked.
   * @throws TreeFailure `forbidden` if they may not leave the share
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
      // The places are read again, because others may have changed them during the wait for the lock.
      await this.writes.lockStorages(missing);
      for (const id of missing) locked.add(id);
    }
  }
}

/**
 * Inside a share from a partner, our transactions change nothing; only its mount can change. The caller has checked
 * that before, so the share was mounted in the meantime.
 */
function refuseInPartners(places: readonly Place[], [first]: readonly NodePath[]): void {
  const isOfMount = places[0]?.mountTarget === first;
  if (!isOfMount && places.some((place) => place.receivedShareId !== null)) throw changedMeanwhile();
}

const isNewAt = (path: string, { storagePath, node }: Place): boolean => !node && storagePath === path;

const changedMeanwhile = (): TreeFailure =>
  new TreeFailure('changed-meanwhile', 'Something else was mounted there meanwhile');
