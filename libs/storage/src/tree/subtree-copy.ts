import type { NodeCopy, NodeRepository, NodeRow } from '#persistence';
import type { DownloadPermit } from '#sharing';
import { BlobMissing, type BlobStore } from '../blobs/blob-store';
import { sourceChanged } from './admission';
import { MAX_COPIED_ENTRIES } from './copy-allowance';
import { discardBlobs } from './discard-blobs';
import { mimetypeFor } from './mimetype';
import { MAX_PATH_BYTES, nameOf, type NodePath } from './node-path';
import type { Place } from './place';
import { TreeFailure } from './tree-failure';
import type { TreeTransaction } from './tree-transaction';

/** The keys of copied contents, by the keys of their originals. */
export type CopiedContents = ReadonlyMap<string, string>;

/** A node and everything below it, folders before their entries. There may be one entry more than can be copied. */
export async function subtreeToCopy(nodes: NodeRepository, top: NodeRow): Promise<NodeRow[]> {
  return top.kind === 'file' ? [top] : nodes.subtree(top.id, MAX_COPIED_ENTRIES + 1);
}

/**
 * Stores contents a second time, before the change that makes nodes for them. If it fails, nothing is left.
 * @throws TreeFailure `changed-meanwhile` if a content is gone
 */
export async function copyContents(
  blobs: BlobStore,
  originals: readonly { readonly blobKey: string | null }[],
  leave: DownloadPermit,
): Promise<CopiedContents> {
  const copied = new Map<string, string>();
  try {
    for (const { blobKey } of originals)
      if (blobKey !== null) copied.set(blobKey, await blobs.copy(blobKey, leave));
    return copied;
  } catch (error) {
    await discardBlobs(blobs, [...copied.values()]);
    throw error instanceof BlobMissing ? sourceChanged() : error;
  }
}

/**
 * The new nodes for a copy of `rows` at a place; the first is the copy of the first row.
 * @throws TreeFailure `path-too-long`
 */
export async function copiesOf(
  change: TreeTransaction,
  rows: readonly NodeRow[],
  contents: CopiedContents,
  to: NodePath,
  target: Place,
): Promise<NodeCopy[]> {
  const [top] = rows;
  const newIds = await change.writes.newIds(rows.length);
  const ids = new Map(rows.map((row, index) => [row.id, newIds[index]!]));
  return rows.map((row) => {
    const path = target.storagePath + row.path.slice(top!.path.length);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES)
      throw new TreeFailure('path-too-long', 'A path below would be too long');
    const name = row === top ? nameOf(to) : row.name;
    return {
      original: row,
      id: ids.get(row.id)!,
      parentId: row === top ? target.parent!.id : ids.get(row.parentId!)!,
      name,
      path,
      mimetype: mimetypeFor(row.kind, name),
      blobKey: row.blobKey === null ? null : contents.get(row.blobKey)!,
    };
  });
}
