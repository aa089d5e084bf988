import type { Readable } from 'node:stream';
import { VersionRepository, type CurrentAuthor, type Database, type VersionRow } from '#persistence';
import type { DownloadPermit } from '#sharing';
import { BlobMissing, type BlobStore, type ByteRange } from '../blobs/blob-store';
import { admitContent, admitDownload, anything, forbidden, notFound } from '../tree/admission';
import { discardOrphans, discardUnused } from '../tree/discard-blobs';
import type { NodePath } from '../tree/node-path';
import type { NodeTree } from '../tree/node-tree';
import type { Place } from '../tree/place';
import type { ReceivedShares } from '../tree/received-shares';
import { admitGrowth } from '../tree/room';
import { TreeFailure } from '../tree/tree-failure';
import { TreeTransaction } from '../tree/tree-transaction';
import { nodeIn, placeOf, userView, type UserView } from '../tree/tree-view';
import { nodeAt, type VisibleNode } from '../tree/visible-node';
import { replaceContent } from './replace-content';

/** The versions of files, for users who may read the file. Versions of a partner's file stay at the partner, and are not requested. */
export class FileVersions {
  private readonly versions: VersionRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly received: ReceivedShares,
    private readonly tree: NodeTree,
  ) {
    this.versions = new VersionRepository(database);
  }

  /** A file or folder by its id. @throws TreeFailure `not-found` if the user may not read it */
  async nodeOf(uid: string, nodeId: number): Promise<VisibleNode> {
    const node = await this.tree.locate(uid, nodeId);
    if (!node?.access.may('read')) throw unknownFile();
    return node;
  }

  /** Versions, the newest first. */
  list({ row }: VisibleNode): Promise<VersionRow[]> {
    return this.versions.list(row.id);
  }

  /** @throws TreeFailure `not-found` */
  async find({ row }: VisibleNode, versionId: number): Promise<VersionRow> {
    const version = await this.versions.find(row.id, versionId);
    if (!version) throw unknownVersion();
    return version;
  }

  /** Author of the present content of a file. */
  async currentAuthor({ row }: VisibleNode): Promise<CurrentAuthor | undefined> {
    return this.versions.currentAuthor(row.id);
  }

  /** @throws TreeFailure `view-only`, `not-found` if the version was removed in the meantime */
  read(node: VisibleNode, version: VersionRow, range: ByteRange | undefined): Promise<Readable> {
    return this.blobs.read(version.blobKey, range, admitDownload(node)).catch(goneMeanwhile);
  }

  /**
   * Gives a file the content of one of its versions, which stays a version; the present content becomes another one.
   * @param path path of the file in the user's tree
   * @throws TreeFailure `not-found`, `forbidden`, `view-only`, `locked`, `quota-exceeded`
   */
  async restore(view: UserView, path: NodePath, nodeId: number, versionId: number): Promise<VisibleNode> {
    await this.received.placeFor(view);
    const leave = admitRestore(path, await placeOf(this.database, view, path), nodeId);
    const version = await this.versions.find(nodeId, versionId);
    if (!version) throw unknownVersion();
    const blobKey = await this.blobs.copy(version.blobKey, leave).catch(goneMeanwhile);
    try {
      const orphaned = await TreeTransaction.run(
        this.database,
        this.received,
        view,
        [path],
        async (change, [place]) => {
          admitRestore(path, place, nodeId);
          const { size, mtime, checksum } = version;
          const growth = size - place.node!.size;
          if (growth > 0) await admitGrowth(change.room, place.storageId, { bytes: growth, nodes: 0 });
          await replaceContent(change, place.node!, { size, mtime, checksum, blobKey });
          return change.orphaned;
        },
      );
      await discardOrphans(this.database, this.blobs, orphaned);
    } catch (error) {
      await discardUnused(this.blobs, [blobKey], error);
      throw error;
    }
    const restored = await nodeIn(this.database, view, path);
    if (!restored) throw notFound(path);
    return restored;
  }

  /**
   * Permanently removes a version; only the owner of the file may do this. @throws TreeFailure `not-found`, `forbidden`
   */
  async remove(uid: string, node: VisibleNode, versionId: number): Promise<void> {
    if (node.isReceived) throw forbidden('Only the owner of a file removes its versions');
    const orphaned = await TreeTransaction.run(
      this.database,
      this.received,
      userView(uid),
      [node.path],
      async (change) => {
        const removed = await change.versions.remove(node.row.id, [versionId]);
        if (removed.length === 0) throw unknownVersion();
        return removed.map(({ blobKey }) => blobKey);
      },
    );
    await discardOrphans(this.database, this.blobs, orphaned);
  }

  /** Sets the name of a version; null removes it. @throws TreeFailure `not-found`, `forbidden` */
  async name(node: VisibleNode, versionId: number, label: string | null): Promise<void> {
    if (!node.access.may('write')) throw forbidden();
    if (!(await this.versions.name(node.row.id, versionId, label))) throw unknownVersion();
  }
}

/** @throws TreeFailure `not-found`, `forbidden`, `view-only` */
function admitRestore(path: NodePath, place: Place, nodeId: number): DownloadPermit {
  const node = nodeAt(path, place);
  if (!node) throw notFound(path);
  if (node.row.id !== nodeId) throw forbidden('A version is restored to its own file');
  admitContent(path, place, anything);
  return admitDownload(node);
}

const unknownFile = (): TreeFailure => new TreeFailure('not-found', 'There is no such file');
const unknownVersion = (): TreeFailure => new TreeFailure('not-found', 'The file has no such version');

function goneMeanwhile(error: unknown): never {
  throw error instanceof BlobMissing ? unknownVersion() : error;
}
