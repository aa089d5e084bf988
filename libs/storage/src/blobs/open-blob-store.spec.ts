import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readConfig } from '#platform';
import { startS3Server } from '../../../testing/src/rigs/s3-server';
import { blobDirectory, openBlobStore } from './open-blob-store';

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-store-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function keysAfterOneWrite(environment: Record<string, string>): Promise<void> {
  const store = await openBlobStore(readConfig(environment));
  const { blobKey } = await store.write(Readable.from(['content']));
  const keys: string[] = [];
  for await (const listed of store.list()) keys.push(listed.blobKey);
  expect(keys).toEqual([blobKey]);
}

describe('the blob store that the configuration names', () => {
  it('is a directory below DATA_DIR by default', async () => {
    expect(blobDirectory(readConfig({ DATA_DIR: directory }))).toBe(join(directory, 'blobs'));
    await keysAfterOneWrite({ DATA_DIR: directory });
  });

  it('is the named directory', async () => {
    const named = join(directory, 'elsewhere');
    expect(blobDirectory(readConfig({ BLOB_STORE: `file:${named}` }))).toBe(named);
    await keysAfterOneWrite({ BLOB_STORE: `file:${named}` });
  });

  it('is the named bucket', async () => {
    const server = await startS3Server();
    const environment = {
      BLOB_STORE: `s3://${server.bucket}/one`,
      S3_ENDPOINT: server.endpoint,
      S3_ACCESS_KEY_ID: server.accessKeyId,
      S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    expect(blobDirectory(readConfig(environment))).toBeUndefined();
    await keysAfterOneWrite(environment);
    await expect(keysAfterOneWrite({ ...environment, S3_SECRET_ACCESS_KEY: 'wrong' })).rejects.toThrow();
    await server.close();
  });

  it('is refused with half a pair of keys', async () => {
    const environment = { BLOB_STORE: 's3://content', S3_ACCESS_KEY_ID: 'key' };
    await expect(openBlobStore(readConfig(environment))).rejects.toThrow('must be set together');
  });
});
