import type { Readable } from 'node:stream';
import {
  NodeRepository,
  RemoteNodeRepository,
  StoredWriteRepository,
  type Database,
  type MountedShareRow,
  type NodeRow,
} from '#persistence';
import type { NodeKind } from '#sharing';
import {
  admitContent,
  admitNewEntry,
  admitRemoval,
  anything,
  notFound,
  visibleAt,
  type Condition,
} from '../tree/admission';
import type { BlobStore } from '../blobs/blob-store';
import { discardOrphans } from '../tree/discard-blobs';
import { newEtag } from '../tree/etag';
import { makeWay } from '../tree/make-way';
import { MAX_NEW_PARENTS, tooManyParents } from '../tree/new-entry';
import { ancestorsOf, childOf, nameOf, parentOf, ROOT, type NodePath } from '../tree/node-path';
import type { PutOptions, PutResult } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import { nodeAt } from '../tree/visible-node';
import {
  admitted,
  consultedPlace,
  entryAt,
  partnerPlace,
  pathIn,
  type MountedPlace,
} from './consulted-place';
import { RemoteFailure } from '#federation/remote-files';
import type { RemoteEntry } from '#federation/remote-files';
import { nodeOf, putInside } from './remote-record';
import { PartnerAway } from './remote-refusal';
import type { RemoteTree } from './remote-tree';
import { etagThere } from './stored-writes';
import { holdWaiting, type WaitingBelow } from './waiting-below';
import { transferContent } from './transfer-content';

/** Checked place for a content in a share of a partner. */
export interface WritablePlace {
  /** The path that was asked for, in the folders that were found or made for it. */
  readonly asked: NodePath;
  readonly path: NodePath;
  readonly place: MountedPlace;
  /** Whether the check used stored facts, because the partner does not answer. */
  readonly isAway: boolean;
}

/**
 * Creates, fills and removes entries at a partner: first there, then in the cached content. No lock is held during the wait
 * for the partner.
 */
export class RemoteWriter {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly remote: RemoteTree,
  ) {}

  /** @throws TreeFailure as TreeWriter.makeFolder, and refusals of the partner */
  async makeFolder(view: TreeView, path: NodePath): Promise<NodeRow> {
    const place = await this.admit(view, path, async () => {
      const found = await partnerPlace(this.database, this.remote, view, path);
      if (found.node) throw new TreeFailure('exists', 'The resource you tried to create already exists');
      admitNewEntry(path, found);
      return found;
    });
    const share = await this.remote.share(place.receivedShareId);
    await this.remote.change(share, (partner) => partner.makeFolder(share, pathIn(place)));
    return this.enter(share, place, entryAt(place, { kind: 'folder', size: 0, mtime: new Date() }));
  }

  /**
   * A place that accepts content, by the partner's present answer.
   * @param mayWait whether stored facts are enough while the partner is away
   * @throws TreeFailure as TreeWriter.put
   */
  async placeToWrite(
    view: TreeView,
    asked: NodePath,
    options: PutOptions,
    mayWait: boolean,
  ): Promise<WritablePlace> {
    try {
      const wanted = options.makesParents ? await this.makeParents(view, asked) : asked;
      const found = await this.admit(view, wanted, async () => {
        const there = await this.placeFor(view, wanted, options, 'file');
        admitContent(there.path, there.place, options.condition ?? anything);
        return there;
      });
      return { ...found, asked: wanted, isAway: false };
    } catch (error) {
      if (!mayWait || !(error instanceof PartnerAway)) throw error;
      return this.knownPlace(view, asked, options, error);
    }
  }

  /** @throws TreeFailure `away` if nothing is known of the folder */
  private async knownPlace(
    view: TreeView,
    asked: NodePath,
    { makesWay, condition = anything }: PutOptions,
    away: PartnerAway,
  ): Promise<WritablePlace> {
    const first = await placeOf(this.database, view, asked);
    const { receivedShareId } = first;
    if (receivedShareId === null || (!first.node && !first.parent)) throw away;
    const { path, place } = makesWay
      ? await makeWay(this.knownFolders(view), asked, first, 'file')
      : { path: asked, place: first };
    admitContent(path, place, condition);
    return { asked, path, place: { ...place, receivedShareId }, isAway: true };
  }

  /**
   * Sends a content to the partner and stores the new entry.
   * @throws TreeFailure for a refusal of the partner; PartnerAway; failures of `content`
   */
  async send(
    share: MountedShareRow,
    { path, place }: Pick<WritablePlace, 'path' | 'place'>,
    content: Readable,
    options: PutOptions,
  ): Promise<PutResult> {
    const expects =
      options.isConditional || options.makesWay ? await etagThere(this.database, place) : undefined;
    const { size, etag, created } = await this.remote.change(share, (partner) =>
      transferContent(partner, share, place, content, { ...options, expects }),
    );
    const written = entryAt(place, { kind: 'file', size, mtime: options.mtime ?? new Date() });
    const entry = etag === null ? await this.lookAt(share, written) : { ...written, etag };
    const node = nodeAt(path, { ...place, node: await this.enter(share, place, entry) })!;
    return { node, created };
  }

  /** @throws TreeFailure as TreeWriter.remove, and refusals of the partner */
  async remove(view: TreeView, path: NodePath, condition: Condition): Promise<void> {
    const { place, row, away } = await this.placeToClear(view, path, condition);
    const share = await this.remote.share(place.receivedShareId);
    const waiting = await holdWaiting(this.database, share, path, pathIn(place));
    await this.removeThere(share, pathIn(place), waiting, away);
    const orphaned = await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      if (!(await nodes.lock(share.receivedShareId, share.askedAt))) return [];
      const keys = await new StoredWriteRepository(transaction).removeAtOrBelow(
        share.receivedShareId,
        pathIn(place),
      );
      await nodes.noteChange(place.storageId);
      const folder = parentOf(pathIn(place));
      if (await nodes.removeEntry(place.storageId, folder, row.name))
        await nodes.propagate(place.storageId, folder, newEtag(), -row.size);
      return keys;
    });
    await discardOrphans(this.database, this.blobs, orphaned);
  }

  /** A place from which an entry is removed. A content that only waits here can be removed while its partner is away. */
  private async placeToClear(view: TreeView, path: NodePath, condition: Condition) {
    const judged = (place: MountedPlace, away: PartnerAway | undefined) => {
      condition(visibleAt(path, place));
      return { place, row: admitRemoval(path, place).row, away };
    };
    try {
      return await this.admit(view, path, async () =>
        judged(await partnerPlace(this.database, this.remote, view, path), undefined),
      );
    } catch (error) {
      if (!(error instanceof PartnerAway)) throw error;
      const place = await placeOf(this.database, view, path);
      if (place.receivedShareId === null || !place.node) throw error;
      return judged({ ...place, receivedShareId: place.receivedShareId }, error);
    }
  }

  /** Contents that wait below are held: they are not delivered in the meantime, and not lost if the partner refuses. */
  private async removeThere(
    share: MountedShareRow,
    path: NodePath,
    waiting: WaitingBelow,
    away: PartnerAway | undefined,
  ): Promise<void> {
    if (waiting === 'only-here') return;
    try {
      if (away) throw away;
      await this.remote.change(share, async (partner) => {
        await partner.remove(share, path).catch((error: unknown) => {
          // The request may not have arrived at all.
          if (waiting === 'none' || !(error instanceof RemoteFailure) || error.code !== 'missing')
            throw error;
        });
      });
    } catch (error) {
      if (waiting !== 'none')
        await new StoredWriteRepository(this.database).releaseAtOrBelow(share.receivedShareId, path);
      throw error;
    }
  }

  private admit<T>(view: TreeView, path: NodePath, judge: () => Promise<T>): Promise<T> {
    return admitted(this.remote, async () => [await placeOf(this.database, view, path)], judge);
  }

  /**
   * Makes the missing folders above `path`. As in an own storage, a folder gets a numbered name if a file has its name.
   * @returns `path` in the folders that were found or made
   */
  private async makeParents(view: TreeView, path: NodePath): Promise<NodePath> {
    let left = MAX_NEW_PARENTS;
    let folder = ROOT;
    for (const above of ancestorsOf(path).filter((each) => each !== ROOT)) {
      const asked = childOf(folder, nameOf(above));
      const { node } = await consultedPlace(this.database, this.remote, view, asked);
      folder = asked;
      if (node?.kind === 'folder') continue;
      if (left-- === 0) throw tooManyParents();
      if (node) folder = (await this.placeFor(view, asked, { makesWay: true }, 'folder')).path;
      await this.makeFolder(view, folder).catch((error: unknown) => {
        // Another upload has just made it.
        if (!(error instanceof TreeFailure) || error.code !== 'exists') throw error;
      });
    }
    return childOf(folder, nameOf(path));
  }

  /** Place for a new entry: `asked`, or the first free numbered name if nothing may be replaced. */
  private async placeFor(
    view: TreeView,
    asked: NodePath,
    { makesWay }: PutOptions,
    kind: NodeKind,
  ): Promise<{ readonly path: NodePath; readonly place: MountedPlace }> {
    const place = await partnerPlace(this.database, this.remote, view, asked);
    if (!makesWay || !place.node) return { path: asked, place };
    await consultedPlace(this.database, this.remote, view, parentOf(asked), 1);
    const free = await makeWay(this.knownFolders(view), asked, place, kind);
    return { path: free.path, place: { ...free.place, receivedShareId: place.receivedShareId } };
  }

  private knownFolders(view: TreeView) {
    return {
      nodes: new NodeRepository(this.database),
      place: (path: NodePath) => placeOf(this.database, view, path),
    };
  }

  /** The entry from its partner's description; without one, as it was written. */
  private async lookAt(share: MountedShareRow, written: RemoteEntry): Promise<RemoteEntry> {
    try {
      const [entry] = await this.remote.partners.probe(share, written.path, 0);
      return entry ?? written;
    } catch (error) {
      if (error instanceof RemoteFailure) return written;
      throw error;
    }
  }

  /** Stores the present entry at a place that changed at the partner. */
  private async enter(share: MountedShareRow, place: MountedPlace, entry: RemoteEntry): Promise<NodeRow> {
    const path = pathIn(place);
    const row = await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      if (!(await nodes.lock(share.receivedShareId, share.askedAt))) return undefined;
      const { storageId } = place;
      await nodes.noteChange(storageId);
      const etag = newEtag();
      if (path === ROOT) {
        const root = { ...nodeOf(entry, share.name), permissions: null };
        await nodes.putRoot(share.receivedShareId, storageId, root, etag);
      } else {
        const folder = parentOf(path);
        await putInside(nodes, storageId, entry, etag);
        await nodes.propagate(storageId, folder, etag, entry.size - (place.node?.size ?? 0));
      }
      return nodes.at(storageId, path);
    });
    if (!row) throw notFound(path);
    return row;
  }
}
