import { join, resolve } from 'node:path';
import type { Config } from '#platform';
import type { BlobStore } from './blob-store';
import { DiskBlobStore } from './disk-blob-store';

/** Opens the store that BLOB_STORE names; `blobs` below DATA_DIR when it names none. */
export function openBlobStore(config: Pick<Config, 'BLOB_STORE' | 'DATA_DIR'>): Promise<BlobStore> {
  return DiskBlobStore.open(
    resolve(config.BLOB_STORE?.slice('file:'.length) ?? join(config.DATA_DIR, 'blobs')),
  );
}
