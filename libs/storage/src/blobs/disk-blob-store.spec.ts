import { once } from 'node:events';
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

  it('reads large pieces while few streams are open, and small ones for more', async () => {
    const store = await DiskBlobStore.open(emptyDirectory());
    const { blobKey } = await store.write(Readable.from([Buffer.alloc(600_000)]));
    const pieceOf = async (stream: Readable): Promise<number> => {
      const [first] = (await once(stream, 'data')) as [Buffer];
      stream.pause();
      return first.length;
    };
    const streams: Readable[] = [];
    const pieces: number[] = [];
    for (let count = 0; count < 66; count++) {
      const stream = await store.read(blobKey);
      streams.push(stream);
      pieces.push(await pieceOf(stream));
    }
    expect([pieces[0], pieces[63], pieces[64], pieces[65]]).toEqual([131_072, 131_072, 65_536, 65_536]);
    await Promise.all(streams.map((stream) => once(stream.destroy(), 'close')));
    const next = await store.read(blobKey);
    expect(await pieceOf(next)).toBe(131_072);
    next.destroy();
  });

  it('refuses a key that leads elsewhere', async () => {
    const store = await DiskBlobStore.open(emptyDirectory());
    await expect(store.read('../../etc/passwd')).rejects.toThrow('is no key of this store');
  });
});
