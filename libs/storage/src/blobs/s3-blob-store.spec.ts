import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { blobStoreContract } from '../../../testing/src/blob-store.contract';
import { startS3Server, type S3Server } from '../../../testing/src/s3-server';
import { S3BlobStore } from './s3-blob-store';

const PART = 5 * 1024 * 1024;

describe('the blob store on S3', () => {
  let server: S3Server;
  let config: S3ClientConfig;

  beforeAll(async () => {
    server = await startS3Server();
    const { endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    config = { endpoint, region: 'us-east-1', forcePathStyle: true, credentials };
  });
  afterAll(() => server.close());

  let stores = 0;
  const emptyStore = (limits = {}) =>
    new S3BlobStore({ bucket: server.bucket, prefix: `store-${++stores}` }, config, limits);

  blobStoreContract(() => Promise.resolve(emptyStore()));

  it('writes in parts what is larger than one', async () => {
    const store = emptyStore({ partBytes: PART });
    const content = randomBytes(2 * PART + 1234);
    const pieces = Array.from({ length: 100 }, (_, index) => {
      const size = Math.ceil(content.length / 100);
      return content.subarray(index * size, (index + 1) * size);
    });
    const blob = await store.write(Readable.from(pieces));
    expect(blob.size).toBe(content.length);
    expect((await buffer(await store.read(blob.blobKey))).equals(content)).toBe(true);
  });

  it('copies in parts what one request may not copy', async () => {
    const store = emptyStore({ copyBytes: PART });
    const content = randomBytes(PART + 77);
    const { blobKey } = await store.write(Readable.from([content]));
    const copyKey = await store.copy(blobKey);
    expect((await buffer(await store.read(copyKey))).equals(content)).toBe(true);
  });

  it('gives up the parts of an upload that never ended, once it is old enough', async () => {
    const store = emptyStore();
    const client = new S3Client(config);
    await client.send(
      new CreateMultipartUploadCommand({ Bucket: server.bucket, Key: `store-${stores}/${'0'.repeat(36)}` }),
    );
    client.destroy();
    expect(await store.removeStale(60_000)).toBe(0);
    expect(await store.removeStale(0)).toBe(1);
    expect(await store.removeStale(0)).toBe(0);
  });

  it('takes no key that leads elsewhere', async () => {
    await expect(emptyStore().read('../other/key')).rejects.toThrow('is no key of this store');
  });
});
