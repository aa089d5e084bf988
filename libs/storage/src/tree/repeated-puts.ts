import type { BlobStore, StoredBlob } from '../blobs/blob-store';
import { discardBlobs } from './discard-blobs';
import type { NodePath } from './node-path';
import type { PutOptions, PutResult } from './put-content';
import type { TreeView } from './tree-view';

interface PutUnderWay {
  /** Digests and circumstances of the content; undefined for an upload that no other one repeats. */
  readonly content: string | undefined;
  readonly outcome: Promise<PutResult>;
}

/**
 * Uploads that repeat another one. A sender who does not wait for a slow scanner sends the file again: it would be scanned twice at once,
 * and come into the tree twice, as a version or under another name.
 */
export class RepeatedPuts {
  /** By sender and path. */
  private readonly newest = new Map<string, PutUnderWay>();

  constructor(private readonly blobs: BlobStore) {}

  /**
   * Writes a stored content, unless this process is just writing the same one from the same sender to the same path, and nothing newer: then
   * both have one outcome, and the second copy is discarded.
   * @throws errors of `write`; the caller discards its content then
   */
  async once(
    view: TreeView,
    path: NodePath,
    blob: StoredBlob,
    options: PutOptions,
    write: () => Promise<PutResult>,
  ): Promise<PutResult> {
    const place = JSON.stringify([view, path]);
    const content = isRepeatable(options) ? contentOf(blob, options) : undefined;
    const first = this.newest.get(place);
    if (first && content !== undefined && first.content === content) {
      const result = await first.outcome;
      await discardBlobs(this.blobs, [blob.blobKey]);
      return result;
    }
    const mine = { content, outcome: write() };
    this.newest.set(place, mine);
    try {
      return await mine.outcome;
    } finally {
      if (this.newest.get(place) === mine) this.newest.delete(place);
    }
  }
}

/**
 * The conditions of two requests may hold for one of them only, even with the same content: with `If-None-Match: *`, one of two senders learns
 * that they made the file. The parts of an upload become a file only once.
 */
const isRepeatable = ({ along, isConditional, upload }: PutOptions): boolean =>
  !along && (!isConditional || upload !== undefined);

const contentOf = ({ sha1, md5, size }: StoredBlob, options: PutOptions): string => {
  const { mtime, isConditional, makesWay, makesParents, source, upload } = options;
  const way = { mtime, isConditional, makesWay, makesParents, source };
  return JSON.stringify([sha1, md5, size, way, upload?.id, upload?.revision]);
};
