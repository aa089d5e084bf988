import {
  RemoteNodeRepository,
  type Database,
  type MountedShareRow,
  type RemoteNode,
  type RemoteRoot,
} from '#persistence';
import { newEtag } from '../tree/etag';
import { FOLDER_MIMETYPE } from '#sharing';
import { mimetypeOf } from '../tree/mimetype';
import { ancestorsOf, MAX_PATH_BYTES, nameOf, parentOf, ROOT, type NodePath } from '../tree/node-path';
import type { RemoteFailure } from '#federation/remote-files';
import type { RemoteEntry } from '#federation/remote-files';

/** The state of the share when its partner was asked. */
export type ProbedShare = Pick<MountedShareRow, 'receivedShareId' | 'askedAt' | 'name'>;

const PLAIN_MIMETYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,128}$/;

/**
 * Stores a partner's answer in one transaction, with a constant number of statements. Nodes that stay keep their
 * ids, and etags change up to the root only if anything changed. An answer from before our own last change of the
 * content only proves that the partner answers.
 * @param path the probed path; it comes first in `entries`
 * @param depth with 1, `entries` contains all entries of the folder
 */
export async function recordProbe(
  database: Database,
  share: ProbedShare,
  path: NodePath,
  depth: 0 | 1,
  entries: readonly RemoteEntry[],
): Promise<void> {
  const [self, ...children] = entries;
  if (!self) return;
  await database.transaction(async (transaction) => {
    const nodes = new RemoteNodeRepository(transaction);
    const held = await nodes.lock(share.receivedShareId, share.askedAt);
    if (!held) return;
    const { storageId, isOutdated } = held;
    if (!isOutdated) {
      const etag = newEtag();
      const isChanged = await putSelf(nodes, share, storageId, self, etag);
      const holds = depth === 1 && self.kind === 'folder' ? children : [];
      const isListed = depth === 1 || (path === ROOT && self.kind === 'file');
      const isFilled = isListed && (await nodes.putEntries(storageId, path, nodesOf(holds), etag));
      if (isFilled) await nodes.propagate(storageId, path, etag);
      else if (isChanged && path !== ROOT) await nodes.propagate(storageId, parentOf(path), etag);
    }
    await nodes.noteSeen(share.receivedShareId);
  });
}

/** Records that the partner answers for the root, and that there is nothing at `path`. */
export async function recordMissing(database: Database, share: ProbedShare, path: NodePath): Promise<void> {
  await database.transaction(async (transaction) => {
    const nodes = new RemoteNodeRepository(transaction);
    const held = await nodes.lock(share.receivedShareId, share.askedAt);
    if (!held || held.isOutdated) return;
    const folder = parentOf(path);
    if (await nodes.removeEntry(held.storageId, folder, nameOf(path)))
      await nodes.propagate(held.storageId, folder, newEtag());
  });
}

/** Records that a partner did not show a requested entry; cached content stays. */
export async function recordFailure(
  database: Database,
  share: Pick<ProbedShare, 'receivedShareId'>,
  failure: RemoteFailure,
): Promise<void> {
  const nodes = new RemoteNodeRepository(database);
  if (failure.code === 'unreachable') await nodes.noteUnreachable(share.receivedShareId);
  else await nodes.noteOddAnswer(share.receivedShareId);
}

/** An entry in its stored form; `name` is that of the share for its root, which has no name in its path. */
export function nodeOf(entry: RemoteEntry, name = nameOf(entry.path)): RemoteNode {
  const { kind, size, mtime, etag } = entry;
  return { name, kind, size, mtime, etag, mimetype: mimetypeIn(entry, name) };
}

/** The root of a share in its stored form. @param name that of the share */
export function rootOf(entry: RemoteEntry, name: string): RemoteRoot {
  // A share without any permission would not be listed.
  return { ...nodeOf(entry, name), permissions: entry.permissions === 0 ? null : entry.permissions };
}

function putSelf(
  nodes: RemoteNodeRepository,
  share: ProbedShare,
  storageId: number,
  self: RemoteEntry,
  etag: string,
): Promise<boolean> {
  if (self.path !== ROOT) return putInside(nodes, storageId, self, etag);
  return nodes.putRoot(share.receivedShareId, storageId, rootOf(self, share.name), etag);
}

/** Writes an entry below the root, and the folders above it if they are not known. @returns whether the entry changed */
export async function putInside(
  nodes: RemoteNodeRepository,
  storageId: number,
  entry: RemoteEntry,
  etag: string,
): Promise<boolean> {
  await nodes.makeFolders(storageId, ancestorsOf(entry.path).slice(1));
  return nodes.putEntry(storageId, parentOf(entry.path), nodeOf(entry), etag);
}

function nodesOf(entries: readonly RemoteEntry[]): RemoteNode[] {
  const storable = entries.filter((entry) => Buffer.byteLength(entry.path) <= MAX_PATH_BYTES);
  return storable.map((entry) => nodeOf(entry));
}

function mimetypeIn({ kind, mimetype }: RemoteEntry, name: string): string {
  if (kind === 'folder') return FOLDER_MIMETYPE;
  return mimetype !== null && PLAIN_MIMETYPE.test(mimetype) ? mimetype.toLowerCase() : mimetypeOf(name);
}
