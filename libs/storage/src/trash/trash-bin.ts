import type { Readable } from 'node:stream';
import { NodeRepository, TrashRepository, type Database, type TrashedRow } from '#persistence';
import { decideAccess, PLAIN_SESSION, type NodeKind } from '#sharing';
import type { BlobStore, ByteRange } from '../blobs/blob-store';
import { concernsPartner } from '../mounted/consulted-place';
import { admitNewEntry, forbidden } from '../tree/admission';
import { discardOrphans } from '../tree/discard-blobs';
import { childOf, nameOf, parentOf, parsePath, ROOT, type NodePath } from '../tree/node-path';
import type { NameRules } from '../tree/name-rules';
import { makeWay } from '../tree/make-way';
import type { Place } from '../tree/place';
import type { ReceivedShares } from '../tree/received-shares';
import { clearPlace, relocate } from '../tree/relocation';
import { admitGrowth } from '../tree/room';
import type { MoveResult } from '../tree/transfer-options';
import { TreeTransaction } from '../tree/tree-transaction';
import { nodeIn, placeOf, userView, type UserView } from '../tree/tree-view';
import { noSuchEntry, readTopAddress, trashEntry, type TrashEntry } from './trash-entry';

/** Maximum of deletions that one transaction removes for good. */
const REMOVED_AT_ONCE = 100;
/** Entries that a listing reads at once. */
const PART = 500;

function* partsOf(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += PART) yield ids.slice(at, at + PART);
}

/** The trash bins of users. Only the owner has access, even to deletions by others. */
export class TrashBin {
  private readonly trash: TrashRepository;
  private readonly nodes: NodeRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly received: ReceivedShares,
    private readonly names: NameRules,
  ) {
    this.trash = new TrashRepository(database);
    this.nodes = new NodeRepository(database);
  }

  /** Deleted nodes, the newest first. */
  async list(uid: string): Promise<TrashEntry[]> {
    const entries: TrashEntry[] = [];
    for await (const part of this.tops(uid)) entries.push(...part);
    return entries;
  }

  /** Deleted nodes, the newest first, in parts: a trash bin may hold more than fits into memory. */
  async *tops(uid: string): AsyncGenerator<TrashEntry[]> {
    for (const ids of partsOf(await this.trash.topIds(uid)))
      yield (await this.trash.topsAmong(uid, ids)).map(trashEntry);
  }

  /** The direct entries of a deleted folder, by name, in parts. */
  async *entries(uid: string, folder: TrashEntry): AsyncGenerator<TrashEntry[]> {
    if (folder.row.kind === 'file') return;
    const row = await this.rowOf(uid, folder.row.id);
    for (const ids of partsOf(await this.nodes.childIds(row.id)))
      yield (await this.trash.entriesAmong(row, ids)).map(trashEntry);
  }

  /**
   * Entries below a deleted folder, or below all of them, at any depth.
   * @param limit maximum number
   */
  async below(uid: string, folder: TrashEntry | undefined, limit: number): Promise<TrashEntry[]> {
    return (await this.trash.below(uid, folder && (await this.rowOf(uid, folder.row.id)), limit)).map(
      trashEntry,
    );
  }

  /** @throws TreeFailure `not-found` if the user has no such node in the trash bin */
  async find(uid: string, nodeId: number): Promise<TrashEntry> {
    return trashEntry(await this.rowOf(uid, nodeId));
  }

  /**
   * Finds an entry by names: the name of the deleted node as `name.d<seconds>`, then the names below it.
   * @throws TreeFailure `not-found`
   */
  async findByNames(uid: string, [top, ...below]: readonly string[]): Promise<TrashEntry> {
    const deletion = readTopAddress(top ?? '');
    const path = below.map((name) => `/${name}`).join('');
    const row = deletion && (await this.trash.findByName(uid, deletion.name, deletion.second, path));
    if (!row) throw noSuchEntry();
    return trashEntry(row);
  }

  /** The content of a deleted file. @throws BlobMissing */
  read({ row }: TrashEntry, range: ByteRange | undefined): Promise<Readable> {
    if (row.kind === 'folder') throw forbidden('A folder has no content');
    // Only the owner has access to an entry, so no share matters.
    const leave = decideAccess('own', PLAIN_SESSION).downloadPermit()!;
    return this.blobs.read(row.blobKey!, range, leave);
  }

  /**
   * Moves a node out of the trash bin to `to` in the user's tree. An existing node there is moved to the trash bin.
   * @throws TreeFailure `not-found`, `forbidden`, `precondition-failed`, `parent-missing`, `quota-exceeded`, `too-many-nodes`,
   * `path-too-long`, names
   */
  async restore(view: UserView, nodeId: number, to: NodePath, overwrite: boolean): Promise<MoveResult> {
    await this.received.placeFor(view);
    if (to === ROOT) throw forbidden('The root cannot be overwritten');
    await this.names.admit(to);
    if (concernsPartner({ target: await placeOf(this.database, view, to) }))
      throw forbidden('Nothing can be restored into a share of another server');
    let orphaned: readonly string[] = [];
    const replaced = await TreeTransaction.run(
      this.database,
      this.received,
      view,
      [ROOT, to],
      async (change, [, target]) => {
        orphaned = change.orphaned;
        const row = await change.trash.find(view.uid, nodeId);
        if (!row) throw noSuchEntry();
        const overwritten = await clearPlace(change, to, target, overwrite);
        admitNewEntry(to, target);
        await moveOut(change, row, to, target);
        return overwritten;
      },
    );
    await discardOrphans(this.database, this.blobs, orphaned);
    return { replaced, node: await nodeIn(this.database, view, to) };
  }

  /**
   * Moves a node back to its former place, with another name if that is taken; into the root if its folder is gone.
   * @throws TreeFailure as `restore`
   */
  async restoreToOrigin(view: UserView, entry: TrashEntry): Promise<MoveResult> {
    await this.received.placeFor(view);
    const restored = await this.change(view, async (change) => {
      const row = await change.trash.find(view.uid, entry.row.id);
      if (!row) throw noSuchEntry();
      const { path, place } = await freePlace(change, parsePath(trashEntry(row).originalPath), row.kind);
      admitNewEntry(path, place);
      await moveOut(change, row, path, place);
      return path;
    });
    return { replaced: false, node: await nodeIn(this.database, view, restored) };
  }

  /** Permanently removes a node from the trash bin. @throws TreeFailure `not-found` */
  async remove(uid: string, nodeId: number): Promise<void> {
    const orphaned = await this.change(userView(uid), async (change) => {
      const row = await change.trash.find(uid, nodeId);
      if (!row) throw noSuchEntry();
      const keys = await change.writes.deleteSubtrees([nodeId]);
      if (row.parentId !== null) await change.propagate(row.parentId, -row.size);
      return keys;
    });
    await discardOrphans(this.database, this.blobs, orphaned);
  }

  /** Permanently removes everything in the trash bin. Nodes that are deleted at the same time may stay. */
  async empty(uid: string): Promise<void> {
    for (;;) {
      const { removed, orphaned } = await this.change(userView(uid), async (change) => {
        const nodeIds = await change.trash.oldest(uid, REMOVED_AT_ONCE);
        return { removed: nodeIds.length, orphaned: await change.writes.deleteSubtrees(nodeIds) };
      });
      await discardOrphans(this.database, this.blobs, orphaned);
      if (removed < REMOVED_AT_ONCE) return;
    }
  }

  private async rowOf(uid: string, nodeId: number): Promise<TrashedRow> {
    const row = await this.trash.find(uid, nodeId);
    if (!row) throw noSuchEntry();
    return row;
  }

  /** A change of the user's trash bin, under the lock of their storage. */
  private change<T>(view: UserView, work: (change: TreeTransaction) => Promise<T>): Promise<T> {
    return TreeTransaction.run(this.database, this.received, view, [ROOT], work);
  }
}

/** The former place of a node, or the first free numbered one; in the root if its folder is gone. */
async function freePlace(
  change: TreeTransaction,
  origin: NodePath,
  kind: NodeKind,
): Promise<{ readonly path: NodePath; readonly place: Place }> {
  const former = await change.place(parentOf(origin));
  const isThere = former.node?.kind === 'folder' && former.mountTarget === null;
  const folder = isThere ? former : await change.place(ROOT);
  const path = childOf(isThere ? parentOf(origin) : ROOT, nameOf(origin));
  return makeWay(change, path, await change.place(path), kind, folder.node?.id);
}

async function moveOut(change: TreeTransaction, row: TrashedRow, to: NodePath, target: Place): Promise<void> {
  const nodes = target.storageId === row.storageId ? 0 : await change.nodes.countSubtree(row.id);
  await admitGrowth(change.room, target.storageId, { bytes: row.size, nodes });
  await relocate(change, row, to, target, () => Promise.resolve());
  await change.trash.takeOut(row.id);
  if (row.parentId !== null) await change.propagate(row.parentId, -row.size);
  await change.propagate(target.parent!.id, row.size);
}
