import {
  NodeRepository,
  RemoteNodeRepository,
  StoredWriteRepository,
  UploadRepository,
  type Database,
  type MountedShareRow,
  type NodeRow,
  type Queryable,
} from '#persistence';
import type { PartnerWriteRules } from '#sharing';
import type { StoredBlob } from '../blobs/blob-store';
import { admitContent, anything, notFound } from '../tree/admission';
import { newEtag } from '../tree/etag';
import { makeWay } from '../tree/make-way';
import { parentOf, ROOT, type NodePath } from '../tree/node-path';
import type { Place } from '../tree/place';
import type { PutOptions, PutResult } from '../tree/put-content';
import { quotaExceeded } from '../tree/room';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import { nodeAt } from '../tree/visible-node';
import { endUpload } from '../uploads/end-upload';
import { nodeOf } from './remote-record';

/** A content that its partner does not have yet. */
export interface WaitingContent {
  readonly view: TreeView;
  readonly asked: NodePath;
  readonly writerUid: string;
  readonly blob: StoredBlob;
  readonly mtime: Date;
  /** Whether the partner may have received it in an attempt without a known answer. */
  readonly isDoubtful: boolean;
}

/** Contents that are stored here until their partners have them. A content and the node that shows it are stored in one transaction. */
export class StoredWrites {
  constructor(private readonly database: Database) {}

  /** Bytes that may be added now. Only the check in `enter` is reliable. */
  async room(
    rules: PartnerWriteRules,
    writerUid: string,
    receivedShareId: number,
    path: string,
  ): Promise<number> {
    const writes = new StoredWriteRepository(this.database);
    return roomOf(rules, await writes.waitingBytes(writerUid, receivedShareId, path));
  }

  waitsAt(receivedShareId: number, path: NodePath): Promise<boolean> {
    return new StoredWriteRepository(this.database).anyAtOrBelow(receivedShareId, path);
  }

  /**
   * A later content for the same place replaces a waiting one.
   * @returns the file as its writer sees it, and the content that it replaces
   * @throws TreeFailure as TreeWriter.put
   */
  enter(
    share: MountedShareRow,
    rules: PartnerWriteRules,
    content: WaitingContent,
    options: PutOptions,
  ): Promise<{ readonly result: PutResult; readonly orphaned: readonly string[] }> {
    return this.database.transaction(async (transaction) => {
      const { path, place } = await lockedPlace(transaction, share, content, options);
      const writes = new StoredWriteRepository(transaction);
      const storagePath = place.storagePath as NodePath;
      const before = await writes.removeAt(share.receivedShareId, storagePath);
      await admitBytes(writes, rules, content, share.receivedShareId, storagePath);
      const expects = before ? before.expects : await etagThere(transaction, place);
      const row = await show(transaction, share, place, content);
      const { blob, mtime, writerUid } = content;
      await writes.insert({
        receivedShareId: share.receivedShareId,
        path: storagePath,
        nodeId: row.id,
        writerUid,
        size: blob.size,
        sha1: blob.sha1,
        blobKey: blob.blobKey,
        mtime,
        expects,
        sentSha1: content.isDoubtful ? blob.sha1 : (before?.sentSha1 ?? null),
        // A delivery that is running now ends by that time.
        dueAt: before?.heldUntil ?? null,
      });
      if (options.upload) await endUpload(new UploadRepository(transaction), options.upload, row.id);
      const node = nodeAt(path, { ...place, node: row })!;
      return {
        result: { node, created: place.node === null },
        orphaned: before ? [before.blobKey] : [],
      };
    });
  }
}

/** Checked again now, because others may have written while the content arrived. */
async function lockedPlace(
  transaction: Queryable,
  share: MountedShareRow,
  { view, asked }: WaitingContent,
  { makesWay, condition = anything }: PutOptions,
): Promise<{ readonly path: NodePath; readonly place: Place }> {
  if (!(await new RemoteNodeRepository(transaction).lock(share.receivedShareId, share.askedAt)))
    throw notFound(asked);
  const placeAt = (path: NodePath): Promise<Place> => placeOf(transaction, view, path);
  const first = await placeAt(asked);
  const folders = { nodes: new NodeRepository(transaction), place: placeAt };
  const { path, place } = makesWay
    ? await makeWay(folders, asked, first, 'file')
    : { path: asked, place: first };
  if (first.receivedShareId !== share.receivedShareId)
    throw new TreeFailure('changed-meanwhile', 'Something else was mounted there meanwhile');
  admitContent(path, place, condition);
  return { path, place };
}

async function admitBytes(
  writes: StoredWriteRepository,
  rules: PartnerWriteRules,
  { writerUid, blob }: WaitingContent,
  receivedShareId: number,
  path: string,
): Promise<void> {
  await writes.lockBounds();
  const room = roomOf(rules, await writes.waitingBytes(writerUid, receivedShareId, path));
  if (blob.size > room) throw quotaExceeded();
}

const roomOf = (
  { userBytes, partnerBytes }: PartnerWriteRules,
  waiting: { readonly ofWriter: number; readonly ofPartner: number },
): number => Math.max(0, Math.min(userBytes - waiting.ofWriter, partnerBytes - waiting.ofPartner));

/** ETag of the file that a partner has at a place; null for none. */
export async function etagThere(database: Queryable, { node }: Pick<Place, 'node'>): Promise<string | null> {
  if (!node) return null;
  return (await new RemoteNodeRepository(database).partnerEtag(node.id)) ?? node.etag;
}

/** From now on the node shows the content, with an etag that its delivery does not change. */
async function show(
  transaction: Queryable,
  share: MountedShareRow,
  { storageId, storagePath, node }: Place,
  { blob, mtime }: WaitingContent,
): Promise<NodeRow> {
  const nodes = new RemoteNodeRepository(transaction);
  const path = storagePath as NodePath;
  const known = { path, kind: 'file', size: blob.size, mtime, mimetype: null, permissions: null } as const;
  const entry = { ...known, etag: newEtag() };
  await nodes.noteChange(storageId);
  if (path === ROOT) {
    const root = { ...nodeOf(entry, share.name), permissions: null };
    await nodes.putRoot(share.receivedShareId, storageId, root, entry.etag);
  } else {
    const folder = parentOf(path);
    await nodes.putEntry(storageId, folder, nodeOf(entry), entry.etag);
    await nodes.propagate(storageId, folder, newEtag(), blob.size - (node?.size ?? 0));
  }
  const row = await nodes.at(storageId, path);
  if (!row) throw notFound(path);
  return row;
}
