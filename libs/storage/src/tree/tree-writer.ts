import type { Database, NodeRow, Room } from '#persistence';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../blobs/blob-store';
import { checksumsOf } from '../blobs/content-digests';
import {
  admitChange,
  admitContent,
  admitRemoval,
  anything,
  notFound,
  refuseUnproven,
  visibleAt,
  type Condition,
} from './admission';
import { discardOrphans, discardUnused } from './discard-blobs';
import { JointChanges } from './joint-changes';
import { makeWay } from './make-way';
import { mimetypeOf } from './mimetype';
import { makeParents, newEntry, newFolder } from './new-entry';
import type { NameRules } from './name-rules';
import type { NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import { concernsPartner } from '../mounted/consulted-place';
import type { PartnerWrites } from '../mounted/partner-writes';
import type { RemoteWriter } from '../mounted/remote-writer';
import { assertAnnounced, type PutOptions, type PutResult } from './put-content';
import { RepeatedPuts } from './repeated-puts';
import { admitGrowth, quotaExceeded, refuseGrowth } from './room';
import type { ContentScan } from '../scanning/content-scan';
import { endUpload } from '../uploads/end-upload';
import { StoredPieces, type ContentSource } from '../uploads/pieces';
import { TreeFailure } from './tree-failure';
import { TreeTransaction } from './tree-transaction';
import type { DeletionRules } from '../trash/deletion-rules';
import { replaceContent } from '../versions/replace-content';
import type { Place } from './place';
import type { TreeView } from './tree-view';
import { nodeAt, type VisibleNode } from './visible-node';

/** Makes, fills and removes entries of a tree. */
export class TreeWriter {
  private readonly joint: JointChanges;
  private readonly repeated: RepeatedPuts;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly received: ReceivedShares,
    private readonly remote: RemoteWriter,
    private readonly partners: PartnerWrites,
    private readonly names: NameRules,
    private readonly deletions: DeletionRules,
    private readonly scans: ContentScan,
  ) {
    this.joint = new JointChanges(database);
    this.repeated = new RepeatedPuts(blobs);
  }

  /** @throws TreeFailure `exists`, `parent-missing`, `forbidden`, `too-many-nodes`, `name-refused`, `name-blacklisted` */
  async makeFolder(view: TreeView, path: NodePath): Promise<NodeRow> {
    const found = await this.received.placeOf(view, path);
    if (!found.node) await this.names.admit(path);
    if (concernsPartner({ target: found })) return this.remote.makeFolder(view, path);
    return TreeTransaction.run(this.database, this.received, view, [path], async (change, [place]) => {
      if (place.node) throw new TreeFailure('exists', 'The resource you tried to create already exists');
      const folder = newFolder(path, place, change);
      await admitGrowth(change.room, place.storageId, { bytes: 0, nodes: 1 });
      const row = await change.writes.insert(folder);
      await change.propagate(folder.parentId, 0);
      return row;
    });
  }

  /**
   * Puts `content` into a new or an existing file. The tree changes only after every byte is durable; if the
   * stream fails, or the change is refused, nothing is left.
   * @throws TreeFailure `parent-missing`, `is-folder`, `forbidden`, `quota-exceeded`, `too-many-nodes`,
   * `content-mismatch`, `infected`, `unscannable`, `scanner-unavailable`, names,
   * and errors of `condition` (called before the first byte is read, and again before the tree changes)
   */
  async put(
    view: TreeView,
    path: NodePath,
    content: ContentSource,
    options: PutOptions = {},
  ): Promise<PutResult> {
    const { place: found, room: left } = await this.placeAndRoomFor(view, path, options);
    if (concernsPartner({ target: found })) return this.partners.put(view, path, content, options);
    const isInPieces = content instanceof StoredPieces;
    const place = placeToBe(found, options);
    const room = roomFor(place, left, options);
    const kept = isInPieces ? content.keep(room) : this.blobs.write(content, room);
    const blob = await kept.catch((error: unknown) => {
      throw error instanceof BlobTooLarge ? quotaExceeded() : error;
    });
    try {
      assertAnnounced(blob, options);
      return await this.repeated.once(view, path, blob, options, async () => {
        await this.scans.admit({ view, path, ...place, isAtPartner: false }, blob, options);
        const { result, orphaned } = await this.enter(place, view, path, blob, options);
        await discardOrphans(this.database, this.blobs, orphaned);
        return result;
      });
    } catch (error) {
      await discardUnused(this.blobs, [blob.blobKey], error);
      throw error;
    }
  }

  /**
   * A place that accepts content now. Of a place at a partner only the caller's proof is checked; the partner is asked when the
   * content comes. @throws TreeFailure as `put`
   */
  async placeFor(view: TreeView, path: NodePath, options: PutOptions = {}): Promise<Place> {
    return (await this.placeAndRoomFor(view, path, options)).place;
  }

  private async placeAndRoomFor(view: TreeView, path: NodePath, options: PutOptions) {
    const found = await this.received.placeAndRoomOf(view, path, options.upload?.id);
    const { place } = found;
    if (!place.node) await this.names.admit(path);
    await this.admitSize(view, options);
    if (concernsPartner({ target: place })) refuseUnproven(place.access);
    else admitContent(path, placeToBe(place, options), options.condition ?? anything);
    return found;
  }

  /** Sets the time of the last change of a node. @throws TreeFailure `not-found`, `forbidden`; Locked; errors of `along` */
  touch(view: TreeView, path: NodePath, mtime: Date, along: NonNullable<PutOptions['along']>): Promise<void> {
    return TreeTransaction.run(this.database, this.received, view, [path], async (change, [place]) => {
      const { node } = place;
      if (!node) throw notFound(path);
      admitChange(place);
      await change.writes.touch(node.id, mtime, change.etag);
      if (node.parentId !== null) await change.propagate(node.parentId, 0);
      await change.takeAlong(along, path);
    });
  }

  /** Refuses contents early that are too large for a scan. @throws TreeFailure `unscannable` */
  admitSize(view: TreeView, options: PutOptions): Promise<void> {
    return this.scans.admitSize(view, options);
  }

  /**
   * Moves the node at `path`, with everything below it, to the trash bin of its owner, or removes it for good if the settings say so. A
   * received share is only left by this user.
   * @throws TreeFailure `not-found`, `forbidden`, and errors of `condition`
   */
  async remove(view: TreeView, path: NodePath, condition = anything): Promise<void> {
    let orphaned: readonly string[] = [];
    const goesPastTrash = await this.deletions.inForce(view);
    await this.takeAway(view, path, condition, async (change, node, place) => {
      orphaned = change.orphaned;
      if (goesPastTrash(node)) orphaned = await removeForGood(change, node);
      else await change.discard(node.row, place);
    });
    await discardOrphans(this.database, this.blobs, orphaned);
  }

  /**
   * Removes for good the entry that the caller has just made, unless another one has its place by now.
   * @throws TreeFailure `not-found`, `forbidden`
   */
  async undo(view: TreeView, path: NodePath, made: Pick<NodeRow, 'id'>): Promise<void> {
    let orphaned: readonly string[] = [];
    const isMade: Condition = (now) => {
      if (now?.row.id !== made.id) throw notFound(path);
    };
    await this.takeAway(view, path, isMade, async (change, node) => {
      orphaned = await removeForGood(change, node);
    });
    await discardOrphans(this.database, this.blobs, orphaned);
  }

  private async takeAway(
    view: TreeView,
    path: NodePath,
    condition: Condition,
    discard: (change: TreeTransaction, node: VisibleNode, place: Place) => Promise<void>,
  ): Promise<void> {
    const found = await this.received.placeOf(view, path);
    if (!nodeAt(path, found)?.isMountRoot && concernsPartner({ target: found }))
      return this.remote.remove(view, path, condition);
    await TreeTransaction.run(this.database, this.received, view, [path], async (change, [place]) => {
      condition(visibleAt(path, place));
      const node = admitRemoval(path, place);
      if (!node.isReceived || node.isMountRoot) await change.mounts.declineAtOrBelow(path);
      if (!node.isMountRoot) await discard(change, node, place);
    });
  }

  /** Shares one transaction with other contents for the same storage. */
  private enterIn<T>(
    { storageId, storagePath, node }: Place,
    view: TreeView,
    path: NodePath,
    { upload, along, makesWay, makesParents }: PutOptions,
    work: Parameters<typeof TreeTransaction.within<T>>[4],
  ): Promise<T> {
    const isOnlyNew = !node && !along && !makesWay && !makesParents;
    const newPath = isOnlyNew ? storagePath : undefined;
    return this.joint.run({ storageId, newPath }, (transaction, grown) =>
      TreeTransaction.within(
        transaction,
        grown,
        view,
        { path, storageId, newPath, uploadId: upload?.id },
        work,
      ),
    );
  }

  private enter(
    expected: Place,
    view: TreeView,
    asked: NodePath,
    blob: StoredBlob,
    options: PutOptions,
  ): Promise<{ result: PutResult; orphaned: readonly string[] }> {
    return this.enterIn(expected, view, asked, options, async (change, { place: first, room }) => {
      const makesParents = options.makesParents && first.parent?.kind !== 'folder';
      const wanted = makesParents ? await makeParents(change, asked) : asked;
      const found = makesParents ? await change.place(wanted) : first;
      const { path, place } = options.makesWay
        ? await makeWay(change, wanted, found, 'file')
        : { path: wanted, place: found };
      admitContent(path, place, options.condition ?? anything);
      const existing = place.node;
      const growth = blob.size - (existing?.size ?? 0);
      if (growth > 0 || !existing)
        await change.admitGrowth(
          place.storageId,
          { bytes: growth, nodes: existing ? 0 : 1 },
          options.upload?.id,
          makesParents ? undefined : room,
        );
      const content = {
        size: blob.size,
        blobKey: blob.blobKey,
        checksum: checksumsOf(blob),
      };
      const mtime = options.mtime ?? change.at;
      if (existing) {
        const row = await replaceContent(change, existing, { ...content, mtime });
        if (options.upload) await endUpload(change.uploads, options.upload, row.id);
        if (options.along) await change.takeAlong(options.along, path);
        return { result: putResult(path, place, row, false), orphaned: change.orphaned };
      }
      const entry = newEntry(path, place, change);
      const file = { ...content, kind: 'file', mimetype: mimetypeOf(entry.name), mtime } as const;
      const row = await change.writes.insert({ ...entry, ...file, ...change.author });
      await change.propagate(entry.parentId, growth);
      if (options.upload) await endUpload(change.uploads, options.upload, row.id);
      if (options.along) await change.takeAlong(options.along, path);
      return { result: putResult(path, place, row, true), orphaned: [] };
    });
  }
}

/** @returns keys of contents that are not needed any more */
async function removeForGood(change: TreeTransaction, { row }: VisibleNode): Promise<readonly string[]> {
  const orphaned = await change.writes.deleteSubtrees([row.id]);
  await change.propagate(row.parentId!, -row.size);
  return orphaned;
}

/** Maximum size of a content at a place. @throws TreeFailure `quota-exceeded`, `too-many-nodes` */
function roomFor(place: Place, room: Room, { announcedSize }: PutOptions): number {
  const replaced = place.node?.size ?? 0;
  // Old nodes of the trash bin can make room for the node.
  const nodes = place.node || room.hasTrash ? 0 : 1;
  refuseGrowth(room, { bytes: (announcedSize ?? 0) - replaced, nodes });
  return room.bytes + replaced;
}

/** A place as it will be when the content has arrived: a taken name or a missing folder will be no obstacle then. */
function placeToBe(found: Place, { makesWay, makesParents }: PutOptions): Place {
  const isMade = makesParents && found.parent?.kind !== 'folder';
  const parent = isMade ? ({ id: 0, kind: 'folder' } as const) : found.parent;
  return { ...found, node: makesWay ? null : found.node, parent };
}

const putResult = (path: NodePath, place: Place, row: NodeRow, created: boolean): PutResult => ({
  node: nodeAt(path, { ...place, node: row })!,
  created,
});
