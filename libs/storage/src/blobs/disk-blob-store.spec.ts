import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { blobStoreContract } from '../../../testing/src/contracts/blob-store.contract';
import { DiskBlobStore } from './disk-blob-store';

const root = mkdtempSync(join(tmpdir(), 'drawbridge-blobs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const emptyDirectory = (): string => mkdtempSync(join(root, 'store-'));

describe('the blob store on a local disk', () => {
  blobStoreContract(() => DiskBlobStore.open(emptyDirectory()));

  it('makes its folders for its own account only', async () => {
    const directory = join(emptyDirectory(), 'above', 'store');
    const store = await DiskBlobStore.open(directory);
    const { blobKey } = await store.write(Readable.from(['content']));
    const [first, second] = blobKey.split('/') as [string, string];
    const folders = ['..', '.', 'incoming', first, `${first}/${second}`];
    const modes = folders.map((folder) => statSync(join(directory, folder)).mode & 0o777);
    expect(modes).toEqual(folders.map(() => 0o700));
  });

  it('removes the files of unfinished writes, once they are old enough', async () => {
    const directory = emptyDirectory();
    const store = await DiskBlobStore.open(directory);
    writeFileSync(join(directory, 'incoming', 'half'), 'half a fi');
    expect(await store.removeStale(60_000)).toBe(0);
    expect(await store.removeStale(0)).toBe(1);
  });

  it('refuses a key that leads elsewhere', async () => {
    const store = await DiskBlobStore.open(emptyDirectory());
    await expect(store.read('../../etc/passwd')).rejects.toThrow('is no key of this store');
  });
});
