import { BlobRepository, isConnectionFailure, type Queryable } from '#persistence';
import type { BlobStore } from '../blobs/blob-store';

const AT_ONCE = 16;

/** Removes contents that no node refers to. The sweep removes those that cannot be removed now. */
export async function discardBlobs(blobs: BlobStore, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    await Promise.allSettled(keys.slice(start, start + AT_ONCE).map((key) => blobs.delete(key)));
  }
}

/**
 * Removes the contents of a failed change. If the database was lost, the change may have been committed nevertheless: the
 * sweep finds out whether they are needed.
 */
export async function discardUnused(
  blobs: BlobStore,
  keys: readonly string[],
  failure: unknown,
): Promise<void> {
  if (!isConnectionFailure(failure)) await discardBlobs(blobs, keys);
}

/**
 * Removes contents that lost their nodes with the committed change. Contents that a backup needs, or that cannot be removed
 * now, are left to the sweep.
 */
export async function discardOrphans(
  database: Queryable,
  blobs: BlobStore,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const held = await new BlobRepository(database).areHeld().catch(() => true);
  if (!held) await discardBlobs(blobs, keys);
}
