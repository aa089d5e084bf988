import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { OPERATOR_PERMIT } from '#sharing';
import { BlobMissing } from './blob-store';
import { blobStoreContract } from '../../../testing/src/contracts/blob-store.contract';
import { eventually } from '../../../testing/src/waiting';
import { startS3Server, type S3Server } from '../../../testing/src/rigs/s3-server';
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

  it('writes a large object in parts', async () => {
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

  it('copies an object in parts if it is too large for one request', async () => {
    const store = emptyStore({ copyBytes: PART });
    const content = randomBytes(PART + 77);
    const { blobKey } = await store.write(Readable.from([content]));
    const copyKey = await store.copy(blobKey);
    expect((await buffer(await store.read(copyKey))).equals(content)).toBe(true);
  });

  it('joins large parts without sending their bytes again', async () => {
    const store = emptyStore();
    const contents = [randomBytes(1000), randomBytes(2 * PART), randomBytes(PART + 5), randomBytes(77)];
    const pieces = [];
    for (const content of contents) pieces.push(await store.write(Readable.from([content])));
    const whole = Buffer.concat(contents);
    const before = server.receivedBytes();
    const joined = await store.join(pieces, whole.length, OPERATOR_PERMIT);
    expect(server.receivedBytes() - before).toBeLessThan(PART + 10_000);
    expect(joined).toMatchObject({
      size: whole.length,
      sha1: createHash('sha1').update(whole).digest('hex'),
    });
    expect((await buffer(await store.read(joined.blobKey))).equals(whole)).toBe(true);
  });

  it('leaves nothing of a join with a missing part', async () => {
    const store = emptyStore();
    const pieces = [];
    for (const size of [PART, PART + 1]) pieces.push(await store.write(Readable.from([randomBytes(size)])));
    await store.delete(pieces[1]!.blobKey);
    await expect(store.join(pieces, Infinity, OPERATOR_PERMIT)).rejects.toThrow(BlobMissing);
    expect(await store.removeStale(0)).toBe(0);
    const left = [];
    for await (const { blobKey } of store.list()) left.push(blobKey);
    expect(left).toEqual([pieces[0]!.blobKey]);
  });

  it('writes parts again if the service copies no parts', async () => {
    const store = emptyStore();
    const contents = [randomBytes(PART), randomBytes(9)];
    const pieces = [];
    for (const content of contents) pieces.push(await store.write(Readable.from([content])));
    server.copiesParts = false;
    const joined = await store
      .join(pieces, Infinity, OPERATOR_PERMIT)
      .finally(() => (server.copiesParts = true));
    expect((await buffer(await store.read(joined.blobKey))).equals(Buffer.concat(contents))).toBe(true);
    expect(await store.removeStale(0)).toBe(0);
  });

  it('removes the parts of an unfinished upload, once it is old enough', async () => {
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

  it('dates a content by the end of its upload, however long ago it began', async () => {
    const store = emptyStore({ partBytes: PART, renewAfterMs: 0 });
    const content = randomBytes(2 * PART);
    const { blobKey } = await store.write(
      Readable.from(
        (async function* () {
          yield content;
          await eventually('the upload', () => server.ageUploads(86_400_000) > 0);
          yield Buffer.from('end');
        })(),
        { objectMode: false },
      ),
    );
    expect(
      (await buffer(await store.read(blobKey))).equals(Buffer.concat([content, Buffer.from('end')])),
    ).toBe(true);
    const listed = [];
    for await (const blob of store.list()) listed.push(blob);
    expect(listed.map((blob) => blob.blobKey)).toEqual([blobKey]);
    expect(Date.now() - listed[0]!.storedAt.getTime()).toBeLessThan(3_600_000);
  });

  it('leaves an upload whose last part is young, however long ago it began', async () => {
    const store = emptyStore();
    const client = new S3Client(config);
    const upload = { Bucket: server.bucket, Key: `store-${stores}/${'0'.repeat(36)}` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    for (const PartNumber of [1, 2])
      await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber, Body: randomBytes(9) }));
    client.destroy();
    server.ageUploads(3_600_000);
    expect(await store.removeStale(60_000)).toBe(0);
    expect(await store.removeStale(0)).toBe(1);
  });

  it('refuses a key that leads elsewhere', async () => {
    await expect(emptyStore().read('../other/key')).rejects.toThrow('is no key of this store');
  });
});
