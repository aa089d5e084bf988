import {
  MountRepository,
  NodeWriteRepository,
  RemoteNodeRepository,
  type Database,
  type NodeRow,
} from '#persistence';
import { BlobMissing } from '../blobs/blob-store';
import {
  admitCopy,
  admitMove,
  admitReplacement,
  forbidden,
  notFound,
  refuseOverlap,
  sourceChanged,
  sourceChangedAtEnd,
  visibleAt,
  type Condition,
  type MovedPlaces,
} from '../tree/admission';
import { CopyAllowance } from '../tree/copy-allowance';
import { newEtag } from '../tree/etag';
import type { FileContents } from '../tree/file-contents';
import { mimetypeFor } from '../tree/mimetype';
import { childOf, MAX_PATH_BYTES, nameOf, parentOf, type NodePath } from '../tree/node-path';
import type { NodeTree } from '../tree/node-tree';
import type { PutOptions } from '../tree/put-content';
import type { CopyOptions, MoveOptions, MoveResult } from '../tree/transfer-options';
import type { Place } from '../tree/place';
import type { ReceivedShares } from '../tree/received-shares';
import { TreeFailure } from '../tree/tree-failure';
import { nodeIn, type TreeView } from '../tree/tree-view';
import { refuseShareFolder } from '../tree/tree-mounts';
import type { TreeWriter } from '../tree/tree-writer';
import { nodeAt, type VisibleNode } from '../tree/visible-node';
import { admitted, consultedPlace, placesOf } from './consulted-place';
import { RemoteFailure } from '#federation/remote-files';
import { treeFailureOf } from './remote-refusal';
import { refuseWaiting } from './waiting-below';
import { remotePlaceOf, type RemoteTree } from './remote-tree';
import type { UnfinishedCopies } from './unfinished-copies';

/** Moves an entry within one view, as TreeMover does. */
export type Rename = (from: NodePath, to: NodePath, options: MoveOptions) => Promise<unknown>;

/** An entry to carry to `to`, and its destination. */
interface Carriage {
  readonly view: TreeView;
  readonly node: VisibleNode;
  readonly to: NodePath;
  readonly target: Place;
  readonly replaced: VisibleNode | undefined;
  readonly rename: Rename;
}

/**
 * Moves and copies whose source or destination is at a partner. Within one share the partner itself moves;
 * everything else is streamed through here, file by file. A source is removed, and a destination replaced, only after all of it has
 * arrived.
 */
export class RemoteTransfer {
  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
    private readonly remote: RemoteTree,
    private readonly tree: NodeTree,
    private readonly contents: FileContents,
    private readonly writer: TreeWriter,
    private readonly unfinished: UnfinishedCopies,
  ) {}

  /** @throws TreeFailure as TreeMover.move, and refusals of a partner */
  async move(
    view: TreeView,
    from: NodePath,
    to: NodePath,
    options: MoveOptions,
    rename: Rename,
  ): Promise<MoveResult> {
    const { places, node, replaced } = await this.admit(view, from, to, (found) => {
      const moved = visibleAt(from, found.source);
      options.condition?.(moved);
      if (!moved) throw notFound(from);
      refuseOverlap(found.source, found.target);
      admitMove(found);
      return {
        places: found,
        node: moved,
        replaced: admitReplacement(to, found.target, options.overwrite),
      };
    });
    const { source, target } = places;
    await refuseWaiting(this.database, source.receivedShareId, from, source.storagePath);
    if (source.storageId === target.storageId)
      await refuseWaiting(this.database, target.receivedShareId, to, target.storagePath);
    if (source.storageId === target.storageId) await this.moveWithin(places, node.row);
    else await this.moveAcross({ view, node, to, target, replaced, rename });
    return { replaced: replaced !== undefined, node: await nodeIn(this.database, view, to) };
  }

  /** @throws TreeFailure as TreeCopier.copy, and refusals of a partner */
  async copy(
    view: TreeView,
    from: NodePath,
    to: NodePath,
    options: CopyOptions,
    rename: Rename,
  ): Promise<MoveResult> {
    const { replaced, ...carriage } = await this.admit(view, from, to, (places) => ({
      node: admitCopy(places, options.overwrite),
      target: places.target,
      replaced: nodeAt(to, places.target),
    }));
    const below = options.shallow ? undefined : new CopyAllowance('copy');
    await this.carry({ view, to, replaced, rename, ...carriage }, below);
    return { replaced: replaced !== undefined, node: await nodeIn(this.database, view, to) };
  }

  private admit<T>(
    view: TreeView,
    from: NodePath,
    to: NodePath,
    judge: (places: MovedPlaces) => T,
  ): Promise<T> {
    const placesNow = async (): Promise<Place[]> => {
      const { source, target } = await placesOf(this.database, view, from, to);
      return [source, target];
    };
    return admitted(this.remote, placesNow, async () => judge(await this.consult(view, from, to)));
  }

  private async consult(view: TreeView, from: NodePath, to: NodePath): Promise<MovedPlaces> {
    const source = await consultedPlace(this.database, this.remote, view, from);
    return { from, source, to, target: await consultedPlace(this.database, this.remote, view, to) };
  }

  private async moveWithin({ source, to, target }: MovedPlaces, row: NodeRow): Promise<void> {
    const share = await this.remote.share(source.receivedShareId!);
    const [here, there] = [source.storagePath as NodePath, target.storagePath as NodePath];
    await this.remote.change(share, (partner) => partner.move(share, here, there, target.node !== null));
    await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      if (!(await nodes.lock(share.receivedShareId, share.askedAt))) return;
      const { storageId } = source;
      await nodes.noteChange(storageId);
      if (target.node) await nodes.removeEntry(storageId, parentOf(there), nameOf(there));
      const writes = new NodeWriteRepository(transaction);
      const moved = {
        storageId,
        ownerUid: target.ownerUid,
        parentId: target.parent!.id,
        ...{ name: nameOf(there), path: there },
        mimetype: mimetypeFor(row.kind, nameOf(to)),
      };
      const kept = await writes.conditionsToKeep(row.id);
      await writes.moveSubtree(row.id, moved);
      await writes.settleReshares(moved, kept);
      await nodes.propagate(storageId, parentOf(here), newEtag(), -row.size);
      await nodes.propagate(storageId, parentOf(there), newEtag(), row.size - (target.node?.size ?? 0));
    });
  }

  private async moveAcross(carriage: Carriage): Promise<void> {
    const { view, node, to, target } = carriage;
    if (view.kind === 'user') {
      if (await new MountRepository(this.database).anyBelow(view.uid, node.path))
        throw forbidden('A folder that holds received shares cannot be moved into a received share');
      refuseShareFolder(await this.received.policy.current(), node.path);
    }
    const made = await this.carry(carriage, new CopyAllowance('move between servers'));
    // A share that only takes files does not show the folder, and nobody can replace it by way of that share.
    if (!target.access.isDrop) await this.assertStillThere(view, to, made);
    await this.writer.remove(view, node.path, (now) => {
      // Copying reads the content of a partner's folder, which changes its etag, too.
      const tells = node.row.kind === 'file' || node.row.receivedShareId === null;
      if (tells && now?.etag !== node.etag) throw sourceChangedAtEnd();
    });
  }

  /**
   * A repeated request, or another device, may have replaced the folder while it was filled: then a part of the copy is in the
   * trash bin, and the source has to stay.
   */
  private async assertStillThere(view: TreeView, to: NodePath, made: NodeRow | undefined): Promise<void> {
    if (made && (await nodeIn(this.database, view, to))?.row.id !== made.id)
      throw new TreeFailure('changed-meanwhile', 'The destination was replaced while it was filled');
  }

  /**
   * Copies all of `node` to `to`. If that fails, the incomplete copy is removed. A folder is copied under another name first if there is
   * an entry at `to`, and so is a file if that entry is a folder.
   * @param below entries that may be copied with it; undefined for none
   * @returns the entry that it made; undefined for a file whose content is put at once
   */
  private async carry(carriage: Carriage, below: CopyAllowance | undefined): Promise<NodeRow | undefined> {
    const { node, to, target, replaced } = carriage;
    const isFile = node.row.kind === 'file';
    if (replaced === undefined || (isFile && replaced.row.kind === 'file'))
      return this.carryTo(carriage, to, below);
    await this.admitSwap(carriage);
    return this.unfinished.beside(target, (name) =>
      this.carryTo(carriage, childOf(parentOf(to), name), below),
    );
  }

  /** Copies `node` to `place`, which is its destination, or a place from which it is moved there. */
  private async carryTo(
    carriage: Carriage,
    place: NodePath,
    below: CopyAllowance | undefined,
  ): Promise<NodeRow | undefined> {
    const { view, node, to } = carriage;
    const isAside = place !== to;
    // The partner moves only what it has.
    const put: PutOptions = isAside ? { isSentAtOnce: true } : {};
    let made: NodeRow | undefined;
    try {
      if (node.row.kind === 'file') {
        const row = await this.carryFile(view, node, place, put);
        made = isAside ? row : undefined;
      } else {
        made = await this.writer.makeFolder(view, place);
        if (below) await this.carryEntries(view, node, place, below, put);
      }
      if (isAside) await this.swap(carriage, place, made);
      return made;
    } catch (error) {
      // The failure of the copy is thrown, whether or not its remains can be removed.
      if (made) await this.writer.undo(view, place, made).catch(() => undefined);
      if (error instanceof RemoteFailure) throw treeFailureOf(error);
      throw error instanceof BlobMissing ? sourceChanged() : error;
    }
  }

  /** Refuses early what `swap` would refuse after the copy. @throws TreeFailure `forbidden`; Locked */
  private async admitSwap({ to, target }: Carriage): Promise<void> {
    if (!target.access.may('write')) throw forbidden();
    await refuseWaiting(this.database, target.receivedShareId, to, target.storagePath);
  }

  /** Moves the complete copy from `aside` to its destination, which is replaced by that. */
  private async swap({ to, rename }: Carriage, aside: NodePath, made: NodeRow | undefined): Promise<void> {
    const condition: Condition = (now) => {
      if (now?.row.id !== made?.id)
        throw new TreeFailure('changed-meanwhile', 'The copy was changed before it was complete');
    };
    await rename(aside, to, { overwrite: true, condition });
  }

  /** Copies everything below `folder` into the empty folder `to`. */
  private async carryEntries(
    view: TreeView,
    folder: VisibleNode,
    to: NodePath,
    allowance: CopyAllowance,
    put: PutOptions,
  ): Promise<void> {
    const entries = await this.entriesOf(view, folder);
    allowance.take(entries.length);
    for (const child of entries) {
      if (child.isMountRoot) continue;
      const target = childOf(to, nameOf(child.path));
      if (Buffer.byteLength(target) > MAX_PATH_BYTES)
        throw new TreeFailure('path-too-long', 'A path below would be too long');
      if (child.row.kind === 'file') await this.carryFile(view, child, target, put);
      else {
        await this.writer.makeFolder(view, target);
        await this.carryEntries(view, child, target, allowance, put);
      }
    }
  }

  /** All present entries of a folder: a cached listing is not enough, because the source is removed afterwards. */
  private async entriesOf(view: TreeView, folder: VisibleNode): Promise<VisibleNode[]> {
    const { row } = folder;
    const atPartner = remotePlaceOf({ ...row, storagePath: row.path, node: row });
    if (atPartner) await this.remote.consult(atPartner, 1);
    return this.tree.known(view, folder);
  }

  /** The permission to read may have ended since the copy began. */
  private async carryFile(
    view: TreeView,
    { path, row }: VisibleNode,
    to: NodePath,
    put: PutOptions,
  ): Promise<NodeRow> {
    const node = await this.tree.stored(view, path);
    if (node?.row.id !== row.id) throw sourceChanged();
    const { body, size, mtime } = await this.contents.open(node);
    try {
      const source = node.row.receivedShareId === null ? 'stored' : 'partner';
      const result = await this.writer.put(view, to, body, { ...put, announcedSize: size, mtime, source });
      return result.node.row;
    } finally {
      body.destroy();
    }
  }
}
