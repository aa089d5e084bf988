import { join, resolve } from 'node:path';
import { ConfigError, makeDirectory, type Config } from '#platform';
import type { BlobStore } from './blob-store';
import { DiskBlobStore } from './disk-blob-store';

/** Configuration of the blob store. */
export type BlobConfig = Pick<
  Config,
  | 'BLOB_STORE'
  | 'DATA_DIR'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'S3_PATH_STYLE'
>;

/**
 * The directory of a store on disk: BLOB_STORE, or `blobs` below DATA_DIR without it;
 * undefined for S3.
 */
export function blobDirectory(config: Pick<Config, 'BLOB_STORE' | 'DATA_DIR'>): string | undefined {
  const place = config.BLOB_STORE ?? { in: 'directory', path: join(config.DATA_DIR, 'blobs') };
  return place.in === 'directory' ? resolve(place.path) : undefined;
}

/** Opens the configured store. @throws ConfigError for half a pair of keys, and for a directory that cannot be made */
export async function openBlobStore(config: BlobConfig): Promise<BlobStore> {
  const { BLOB_STORE: place } = config;
  if (place?.in !== 'bucket') {
    const directory = blobDirectory(config)!;
    if (place) prepare(directory);
    return DiskBlobStore.open(directory);
  }
  // Loaded only when needed, because the client takes some 30 MB.
  const { S3BlobStore } = await import('./s3-blob-store.js');
  return new S3BlobStore(place, {
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    forcePathStyle: config.S3_PATH_STYLE,
    credentials: credentialsOf(config),
  });
}

function prepare(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `BLOB_STORE ${directory} cannot be made (${code}): name a directory that this account may write.`,
    );
  }
}

function credentialsOf({ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }: BlobConfig) {
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together, or neither.');
  }
  return { accessKeyId, secretAccessKey };
}
