import type { Readable } from 'node:stream';
import {
  NodeRepository,
  RemoteNodeRepository,
  type Database,
  type MountedShareRow,
  type NodeRow,
} from '#persistence';
import {
  admitContent,
  admitNewEntry,
  admitRemoval,
  anything,
  notFound,
  visibleAt,
  type Condition,
} from '../tree/admission';
import { newEtag } from '../tree/etag';
import { makeWay } from '../tree/make-way';
import { MAX_NEW_PARENTS, tooManyParents } from '../tree/new-entry';
import { ancestorsOf, parentOf, ROOT, type NodePath } from '../tree/node-path';
import type { PutOptions, PutResult } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import { nodeAt } from '../tree/visible-node';
import { admitted, consultedPlace, partnerPlace, type MountedPlace } from './consulted-place';
import { RemoteFailure } from '#federation/remote-files';
import type { RemoteEntry, RemoteFiles } from '#federation/remote-files';
import { nodeOf } from './remote-record';
import type { RemoteTree } from './remote-tree';
import { VerifiedContent } from './verified-content';

/** A content that a partner has taken. */
export interface SentContent {
  readonly size: number;
  /** Without quotes; null where the partner did not say. */
  readonly etag: string | null;
}

/** Sends a content to its place at a partner. */
export type SendContent = (content: Readable, options: PutOptions) => Promise<SentContent>;

type Delivery = (
  there: { readonly path: NodePath; readonly place: MountedPlace },
  send: SendContent,
) => Promise<SentContent>;

/**
 * Creates, fills and removes entries at a partner: there first, then in the cached content. No lock is held while the
 * partner is waited for.
 */
export class RemoteWriter {
  constructor(
    private readonly database: Database,
    private readonly remote: RemoteTree,
  ) {}

  /** @throws TreeFailure as TreeWriter.makeFolder, and what the partner refuses */
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
   * Streams a content to the partner.
   * @param deliver hands the content over, once it is known where it goes and that it may
   * @throws TreeFailure as TreeWriter.put, and what the partner refuses
   */
  async put(view: TreeView, asked: NodePath, options: PutOptions, deliver: Delivery): Promise<PutResult> {
    if (options.makesParents) await this.makeParents(view, asked);
    const { path, place } = await this.admit(view, asked, async () => {
      const found = await this.placeFor(view, asked, options);
      admitContent(found.path, found.place, options.condition ?? anything);
      return found;
    });
    const share = await this.remote.share(place.receivedShareId);
    const mtime = options.mtime ?? new Date();
    const { size, etag } = await deliver({ path, place }, (content, known) =>
      this.remote.change(share, (partner) => this.send(partner, share, place, content, known)),
    );
    const written = entryAt(place, { kind: 'file', size, mtime });
    const entry = etag === null ? await this.lookAt(share, written) : { ...written, etag };
    const node = nodeAt(path, { ...place, node: await this.enter(share, place, entry) })!;
    return { node, created: place.node === null };
  }

  /** @throws TreeFailure as TreeWriter.remove, and what the partner refuses */
  async remove(view: TreeView, path: NodePath, condition: Condition): Promise<void> {
    const { place, row } = await this.admit(view, path, async () => {
      const found = await partnerPlace(this.database, this.remote, view, path);
      condition(visibleAt(path, found));
      return { place: found, row: admitRemoval(path, found).row };
    });
    const share = await this.remote.share(place.receivedShareId);
    await this.remote.change(share, (partner) => partner.remove(share, pathIn(place)));
    await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      if (!(await nodes.lock(share.receivedShareId, share.askedAt))) return;
      await nodes.noteChange(place.storageId);
      const folder = parentOf(pathIn(place));
      if (await nodes.removeEntry(place.storageId, folder, row.name))
        await nodes.propagate(place.storageId, folder, newEtag(), -row.size);
    });
  }

  private admit<T>(view: TreeView, path: NodePath, judge: () => Promise<T>): Promise<T> {
    return admitted(this.remote, async () => [await placeOf(this.database, view, path)], judge);
  }

  private async makeParents(view: TreeView, path: NodePath): Promise<void> {
    let left = MAX_NEW_PARENTS;
    for (const folder of ancestorsOf(path)) {
      const place = await partnerPlace(this.database, this.remote, view, folder);
      if (place.node) continue;
      if (left-- === 0) throw tooManyParents();
      await this.makeFolder(view, folder);
    }
  }

  /** Where content goes: to `asked`, or to the first numbered name that is free where nothing may be replaced. */
  private async placeFor(
    view: TreeView,
    asked: NodePath,
    { makesWay }: PutOptions,
  ): Promise<{ readonly path: NodePath; readonly place: MountedPlace }> {
    const place = await partnerPlace(this.database, this.remote, view, asked);
    if (!makesWay || !place.node) return { path: asked, place };
    await consultedPlace(this.database, this.remote, view, parentOf(asked), 1);
    const tree = {
      nodes: new NodeRepository(this.database),
      place: (path: NodePath) => placeOf(this.database, view, path),
    };
    const free = await makeWay(tree, asked, place);
    return { path: free.path, place: { ...free.place, receivedShareId: place.receivedShareId } };
  }

  private async send(
    partner: RemoteFiles,
    share: MountedShareRow,
    place: MountedPlace,
    content: Readable,
    options: PutOptions,
  ): Promise<SentContent> {
    const { announcedSize, mtime, isConditional, makesWay } = options;
    // The reader of the content sees its failure; without a reader it is ignored.
    const verified = new VerifiedContent(options).on('error', () => undefined);
    // Its sender is still to be answered when the partner fails, so the source is let go of rather than destroyed.
    const breakOff = (error?: Error): void =>
      void verified.destroy(error ?? new Error('the content was cut off'));
    const noteClose = (): void => (content.readableEnded ? undefined : breakOff());
    content.once('error', breakOff).once('close', noteClose).pipe(verified);
    if (content.destroyed) noteClose();
    try {
      const { etag } = await partner.write(share, pathIn(place), verified, {
        ...(announcedSize === undefined ? {} : { size: announcedSize }),
        ...(mtime === undefined ? {} : { mtime }),
        ...(isConditional || makesWay ? { expects: place.node?.etag ?? null } : {}),
      });
      return { size: verified.size, etag };
    } catch (error) {
      throw verified.errored instanceof TreeFailure ? verified.errored : error;
    } finally {
      content.off('error', breakOff).off('close', noteClose).unpipe(verified);
      verified.destroy();
    }
  }

  /** The entry as its partner has it; as it was written where the partner does not describe it. */
  private async lookAt(share: MountedShareRow, written: RemoteEntry): Promise<RemoteEntry> {
    try {
      const [entry] = await this.remote.partners.probe(share, written.path, 0);
      return entry ?? written;
    } catch (error) {
      if (error instanceof RemoteFailure) return written;
      throw error;
    }
  }

  /** Writes down what stands at a place since it was changed there. */
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
        await nodes.putEntry(storageId, folder, nodeOf(entry), etag);
        await nodes.propagate(storageId, folder, etag, entry.size - (place.node?.size ?? 0));
      }
      return nodes.at(storageId, path);
    });
    if (!row) throw notFound(path);
    return row;
  }
}

const pathIn = (place: MountedPlace): NodePath => place.storagePath as NodePath;

/** An entry that the partner did not describe further: it gets another etag when the partner does. */
function entryAt(place: MountedPlace, known: Pick<RemoteEntry, 'kind' | 'size' | 'mtime'>): RemoteEntry {
  return { ...known, path: pathIn(place), etag: newEtag(), mimetype: null, permissions: null };
}
