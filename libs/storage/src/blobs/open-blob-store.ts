import { join, resolve } from 'node:path';
import type { Config } from '#platform';
import type { BlobStore } from './blob-store';
import { DiskBlobStore } from './disk-blob-store';

type BlobConfig = Pick<Config, 'BLOB_STORE' | 'DATA_DIR'>;

/** The directory of a store on disk: what BLOB_STORE names, `blobs` below DATA_DIR when it names none. */
export function blobDirectory(config: BlobConfig): string {
  return resolve(config.BLOB_STORE?.slice('file:'.length) ?? join(config.DATA_DIR, 'blobs'));
}

/** Opens the store that the configuration names. */
export function openBlobStore(config: BlobConfig): Promise<BlobStore> {
  return DiskBlobStore.open(blobDirectory(config));
}
