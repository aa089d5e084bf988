import type { BlobStore } from '../blobs/blob-store';

const AT_ONCE = 16;

/** Removes contents that no node refers to any more; what cannot be removed now is left to the sweep. */
export async function discardBlobs(blobs: BlobStore, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    await Promise.allSettled(keys.slice(start, start + AT_ONCE).map((key) => blobs.delete(key)));
  }
}
