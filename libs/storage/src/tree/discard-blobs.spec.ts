import type { BlobStore } from '../blobs/blob-store';
import { discardUnused } from './discard-blobs';
import { TreeFailure } from './tree-failure';

/** @returns the contents that a failed change removed */
async function removedAfter(failure: unknown): Promise<string[]> {
  const removed: string[] = [];
  const blobs = { delete: async (key: string) => void removed.push(key) } as unknown as BlobStore;
  await discardUnused(blobs, ['content'], failure);
  return removed;
}

describe('contents of a change that failed', () => {
  it('are removed if it was refused', async () => {
    expect(await removedAfter(new TreeFailure('forbidden', 'no'))).toEqual(['content']);
    expect(await removedAfter(Object.assign(new Error('violates'), { code: '23505' }))).toEqual(['content']);
  });

  it('stay if the database went away, because it may have been committed', async () => {
    expect(await removedAfter(new Error('Connection terminated unexpectedly'))).toEqual([]);
    expect(await removedAfter(Object.assign(new Error('shutdown'), { code: '57P01' }))).toEqual([]);
  });
});
