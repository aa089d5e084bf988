import { randomBytes, createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { OPERATOR_PERMIT } from '#sharing';
import { BlobMissing, BlobTooLarge, type BlobStore } from '#storage';

/** Contract of every blob store, which a spec of each store runs. `open` returns an empty store. */
export function blobStoreContract(open: () => Promise<BlobStore>): void {
  let store: BlobStore;
  beforeEach(async () => {
    store = await open();
  });

  const write = (content: Buffer | string) => store.write(Readable.from([content]));
  const read = async (key: string, range?: { start: number; end: number }) =>
    buffer(await store.read(key, range, OPERATOR_PERMIT));
  const keys = async () => {
    const found: string[] = [];
    for await (const blob of store.list()) found.push(blob.blobKey);
    return found.sort();
  };

  it('gives back a written content, with its size and digests', async () => {
    const content = randomBytes(300_000);
    const blob = await write(content);
    expect(blob.size).toBe(content.length);
    expect(await store.size(blob.blobKey)).toBe(content.length);
    expect(blob.sha1).toBe(createHash('sha1').update(content).digest('hex'));
    expect(blob.md5).toBe(createHash('md5').update(content).digest('hex'));
    // A stream of zlib ends with this sum: RFC 1950.
    expect(blob.adler32).toBe(deflateSync(content).subarray(-4).toString('hex'));
    expect((await read(blob.blobKey)).equals(content)).toBe(true);
    expect(blob.blobKey).toMatch(/^[A-Za-z0-9/_-]{1,200}$/);
  });

  it('keeps an empty content', async () => {
    const blob = await write('');
    expect([blob.size, (await read(blob.blobKey)).length]).toEqual([0, 0]);
  });

  it('reads a range, both ends included', async () => {
    const blob = await write('abcdefgh');
    expect((await read(blob.blobKey, { start: 2, end: 4 })).toString()).toBe('cde');
    expect((await read(blob.blobKey, { start: 7, end: 7 })).toString()).toBe('h');
    const known = await store.read(blob.blobKey, undefined, OPERATOR_PERMIT, blob.size);
    expect((await buffer(known)).toString()).toBe('abcdefgh');
    const longer = await store.read(blob.blobKey, undefined, OPERATOR_PERMIT, blob.size + 1);
    expect((await buffer(longer)).toString()).toBe('abcdefgh');
  });

  it('stores equal contents separately', async () => {
    const [first, second] = [await write('same'), await write('same')];
    await store.delete(first.blobKey);
    expect((await read(second.blobKey)).toString()).toBe('same');
  });

  it('copies a content under a new key', async () => {
    const blob = await write('original');
    const copyKey = await store.copy(blob.blobKey, OPERATOR_PERMIT);
    await store.delete(blob.blobKey);
    expect((await read(copyKey)).toString()).toBe('original');
    await store.delete(copyKey);
    expect(await keys()).toEqual([]);
  });

  it('joins pieces under a new key, and keeps the pieces', async () => {
    const contents = [randomBytes(3000), Buffer.alloc(0), randomBytes(70_000), Buffer.from('end')];
    const pieces = await Promise.all(contents.map((content) => write(content)));
    const whole = Buffer.concat(contents);
    const joined = await store.join(pieces, whole.length, OPERATOR_PERMIT);
    expect(joined.size).toBe(whole.length);
    expect(joined.sha1).toBe(createHash('sha1').update(whole).digest('hex'));
    expect(joined.md5).toBe(createHash('md5').update(whole).digest('hex'));
    expect((await keys()).length).toBe(5);
    for (const { blobKey } of pieces) await store.delete(blobKey);
    expect((await read(joined.blobKey)).equals(whole)).toBe(true);
    expect((await store.join([], 0, OPERATOR_PERMIT)).size).toBe(0);
  });

  it('refuses to join pieces that are too large together, or missing', async () => {
    const [first, second] = [await write('12345'), await write('6')];
    await expect(store.join([first, second], 5, OPERATOR_PERMIT)).rejects.toThrow(BlobTooLarge);
    await store.delete(second.blobKey);
    await expect(store.join([first, second], 6, OPERATOR_PERMIT)).rejects.toThrow(BlobMissing);
    expect(await keys()).toEqual([first.blobKey]);
  });

  it('lists exactly the stored contents', async () => {
    const blobs = await Promise.all(['a', 'b', 'c'].map(write));
    expect(await keys()).toEqual(blobs.map((blob) => blob.blobKey).sort());
    await store.delete(blobs[0]!.blobKey);
    expect(await store.has(blobs[0]!.blobKey)).toBe(false);
    await expect(store.size(blobs[0]!.blobKey)).rejects.toThrow(BlobMissing);
    expect(await store.has(blobs[1]!.blobKey)).toBe(true);
    expect(await keys()).toHaveLength(2);
  });

  it('reports a missing content', async () => {
    const { blobKey } = await write('short-lived');
    await store.delete(blobKey);
    await store.delete(blobKey);
    await expect(store.read(blobKey, undefined, OPERATOR_PERMIT)).rejects.toThrow(BlobMissing);
    await expect(store.copy(blobKey, OPERATOR_PERMIT)).rejects.toThrow(BlobMissing);
  });

  it('stores nothing of a stream that fails', async () => {
    const broken = new PassThrough();
    const writing = store.write(broken);
    broken.write(randomBytes(100_000));
    broken.destroy(new Error('the client went away'));
    await expect(writing).rejects.toThrow('the client went away');
    expect(await keys()).toEqual([]);
    expect(await store.removeStale(0)).toBe(0);
  });

  it('stops writing at the limit', async () => {
    await expect(store.write(Readable.from(['12345', '6']), 5)).rejects.toThrow(BlobTooLarge);
    expect((await store.write(Readable.from(['12345']), 5)).size).toBe(5);
    expect(await keys()).toHaveLength(1);
  });

  it('continues a stream whose content is deleted during the reading', async () => {
    const content = randomBytes(1_000_000);
    const { blobKey } = await write(content);
    const stream = await store.read(blobKey, undefined, OPERATOR_PERMIT);
    await store.delete(blobKey);
    expect((await buffer(stream)).equals(content)).toBe(true);
  });
}
