import { mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { blobStoreContract } from '../../../testing/src/contracts/blob-store.contract';
import { DiskBlobStore } from './disk-blob-store';

const root = mkdtempSync(join(tmpdir(), 'drawbridge-blobs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const emptyStore = (): Promise<DiskBlobStore> => DiskBlobStore.open(mkdtempSync(join(root, 'store-')));
const refuseLinks = (code: string) =>
  jest.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error(code), { code }));
afterAll(() => jest.restoreAllMocks());

describe('the blob store on a disk without links', () => {
  beforeAll(() => refuseLinks('ENOTSUP'));
  blobStoreContract(emptyStore);
});

it.each(['EMLINK', 'EPERM'])('copies the bytes if a link is refused with %s', async (code) => {
  refuseLinks(code);
  const store = await emptyStore();
  const { blobKey } = await store.write(Readable.from(['content']));
  const copyKey = await store.copy(blobKey);
  await store.delete(blobKey);
  expect(await (await store.read(copyKey)).toArray()).toEqual([Buffer.from('content')]);
});

it('does not hide that a link failed for another reason', async () => {
  refuseLinks('EIO');
  const store = await emptyStore();
  const { blobKey } = await store.write(Readable.from(['content']));
  await expect(store.copy(blobKey)).rejects.toThrow('EIO');
});
