import type { Database } from '#persistence';
import type { BlobStore } from '../blobs/blob-store';
import {
  admitDeparture,
  admitMove,
  forbidden,
  notFound,
  overwritesMount,
  refuseOverlap,
  sourceChanged,
  visibleAt,
  type MovedPlaces,
} from './admission';
import { discardOrphans, discardUnused } from './discard-blobs';
import type { NameRules } from './name-rules';
import { refuseReserved } from './reserved-names';
import { ancestorsOf, nameOf, parentOf, ROOT, type NodePath } from './node-path';
import { OwnerBackup } from './owner-backup';
import type { ReceivedShares } from './received-shares';
import { concernsPartner, placesOf } from '../mounted/consulted-place';
import type { Rename, RemoteTransfer } from '../mounted/remote-transfer';
import type { MoveOptions, MoveResult } from './transfer-options';
import { clearPlace, relocate } from './relocation';
import { admitGrowth } from './room';
import { TreeTransaction } from './tree-transaction';
import type { Place } from './place';
import { nodeIn, type TreeView } from './tree-view';
import { nodeAt, type VisibleNode } from './visible-node';

/** Moves and renames entries of a tree. */
export class TreeMover {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly received: ReceivedShares,
    private readonly remote: RemoteTransfer,
    private readonly names: NameRules,
  ) {}

  /** Called before a move that is answered before it is done. @throws TreeFailure `name-blacklisted`, `name-refused` */
  async admitName(to: NodePath): Promise<void> {
    await this.names.admit(to);
    refuseReserved(nameOf(to));
  }

  /**
   * Moves `from` to `to`. An existing node there is moved to the trash bin; an existing received share is declined.
   * A received share itself is only renamed for this user. An entry that moves into another owner's storage becomes theirs and
   * counts against their quota. Its shares stay, because they belong to the node. If it was reached through a share, a copy of it goes
   * to the trash bin of its former owner.
   * @throws TreeFailure `not-found`, `forbidden`, `view-only`, `overlapping`, `precondition-failed`, `parent-missing`,
   * `quota-exceeded`, `too-many-nodes`, `too-many-entries`, `path-too-long`, names, `changed-meanwhile` if the source changes while it
   * is copied
   */
  async move(view: TreeView, from: NodePath, to: NodePath, options: MoveOptions): Promise<MoveResult> {
    await this.received.placeFor(view);
    const found = await placesOf(this.database, view, from, to);
    if (from === ROOT || to === ROOT) throw forbidden('The root cannot be moved or overwritten');
    if (from === to) throw forbidden('Source and destination are identical');
    if (visibleAt(from, found.source)) await this.names.admit(to);
    if (!nodeAt(from, found.source)?.isMountRoot && concernsPartner(found))
      return this.remote.move(view, from, to, options, this.within(view));
    const overMount = overwritesMount(found, options.overwrite);
    const backup = await this.backupFor(found, overMount);
    const replaced = await this.moveHere(view, found, options, overMount, backup).catch(
      async (error: unknown) => {
        if (backup) await discardUnused(this.blobs, backup.blobKeys, error);
        throw error;
      },
    );
    return { replaced, node: await nodeIn(this.database, view, to) };
  }

  /** Moves within a view, for those who finish their own work with one. */
  within(view: TreeView): Rename {
    return (from, to, options) => this.move(view, from, to, options);
  }

  /** The copy for the owner of a node that is moved out of a share; undefined if the node stays theirs, or cannot be moved. */
  private async backupFor({ from, source, target }: MovedPlaces, overMount: boolean) {
    const node = visibleAt(from, source);
    if (!node?.isReceived || node.isMountRoot) return undefined;
    // Without the mount that it replaces, the destination is in the mover's own tree.
    if (!overMount && source.storageId === target.storageId) return undefined;
    admitDeparture(from, source);
    return OwnerBackup.of(this.database, this.blobs, node.row);
  }

  /** Moves within this instance. @returns whether an entry was replaced */
  private async moveHere(
    view: TreeView,
    { from, to }: MovedPlaces,
    options: MoveOptions,
    overMount: boolean,
    backup: OwnerBackup | undefined,
  ): Promise<boolean> {
    let orphaned: readonly string[] = [];
    const replaced = await TreeTransaction.run(
      this.database,
      this.received,
      view,
      overMount ? [from, to, parentOf(to)] : [from, to],
      async (change, places) => {
        const [source, there] = places as readonly [Place, Place];
        orphaned = change.orphaned;
        const node = visibleAt(from, source);
        options.condition?.(node);
        if (!node) throw notFound(from);
        if (!node.isMountRoot) refuseOverlap(source, there);
        const target = overMount ? await change.placeWithoutMount(to) : there;
        const hasReplaced = node.isMountRoot
          ? await this.renameMount(change, node, to, target, options.overwrite)
          : await this.moveNode(change, { from, source, to, target }, options.overwrite, backup);
        return overMount || hasReplaced;
      },
    );
    await discardOrphans(this.database, this.blobs, orphaned);
    return replaced;
  }

  private async renameMount(
    change: TreeTransaction,
    mount: VisibleNode,
    to: NodePath,
    target: Place,
    overwrite: boolean,
  ) {
    if (target.mountTarget !== null) throw forbidden('A received share cannot be moved into another one');
    if (await change.anySharedOut(target.storageId, ancestorsOf(to))) {
      throw forbidden('A received share cannot be moved into a folder that is shared');
    }
    refuseReserved(nameOf(to));
    target.locks.admit('new');
    const replaced = await clearPlace(change, to, target, overwrite);
    await change.mounts.rename(mount.path, to);
    return replaced;
  }

  private async moveNode(
    change: TreeTransaction,
    places: MovedPlaces,
    overwrite: boolean,
    backup: OwnerBackup | undefined,
  ) {
    const { source, target, from, to } = places;
    const row = source.node!;
    refuseOverlap(source, target);
    admitMove(places);
    const foreign = source.storageId !== target.storageId;
    // Others may have changed the places since the copy was made.
    const leavesShare = foreign && source.mountTarget !== null;
    if (leavesShare !== (backup !== undefined)) throw sourceChanged();
    if (source.mountTarget === null && foreign && (await change.mounts.anyBelow(from))) {
      throw forbidden('A folder that holds received shares cannot be moved into a received share');
    }
    const replaced = await clearPlace(change, to, target, overwrite);
    if (foreign) {
      const nodes = await change.nodes.countSubtree(row.id);
      await admitGrowth(change.room, target.storageId, { bytes: row.size, nodes });
    }
    await relocate(change, row, to, target, async () => {
      if (!foreign) await change.mounts.renameBelow(source.ownerUid, source.storagePath, target.storagePath);
    });
    if (backup) await backup.discard(change, row, from, source);
    else await change.propagate(source.parent!.id, -row.size);
    await change.propagate(target.parent!.id, row.size);
    return replaced;
  }
}
