import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectorySyncs } from './directory-syncs';

const root = mkdtempSync(join(tmpdir(), 'drawbridge-syncs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Counts the sync calls to the disk. */
async function countedSyncs(): Promise<jest.SpyInstance> {
  const handle = await open(root, 'r');
  const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> };
  await handle.close();
  return jest.spyOn(prototype, 'sync');
}

describe('syncs of a directory', () => {
  it('are shared by waiting callers: the first has its own, and all others the next one', async () => {
    const counted = await countedSyncs();
    const syncs = new DirectorySyncs();
    await Promise.all(Array.from({ length: 20 }, () => syncs.sync(root)));
    expect(counted).toHaveBeenCalledTimes(2);
    await syncs.sync(root);
    expect(counted).toHaveBeenCalledTimes(3);
    counted.mockRestore();
  });

  it('fail for all waiting callers, and not for later ones', async () => {
    const syncs = new DirectorySyncs();
    const absent = join(root, 'absent');
    const asked = await Promise.allSettled([syncs.sync(absent), syncs.sync(absent)]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(syncs.sync(absent)).rejects.toThrow('ENOENT');
    await syncs.sync(root);
  });
});
