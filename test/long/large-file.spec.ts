import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { basicAuth, eventually } from '#testing';
import { PASSWORD } from '../edge/edge-client';
import { SHARES } from '../federation/outgoing-world';
import { WholeInstance } from './whole-instance';
import { isFullForm } from '../../libs/testing/src/full-form';

const MEGABYTE = 1024 * 1024;
const SIZE = (isFullForm ? 4096 : 64) * MEGABYTE;
/** Limit for the memory of the program that serves files, at its peak. */
const MOST_BYTES = 200 * MEGABYTE;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

const DELIVERY_MS = 10 * 60_000;
/** The program that delivers. */
const KILLS = isFullForm ? 6 : 1;

jest.setTimeout(30 * 60_000);

/** Bytes without repetition, generated while they are read. */
function* content(): Generator<Buffer> {
  const piece = randomBytes(MEGABYTE);
  for (let at = 0; at < SIZE / MEGABYTE; at++) {
    piece.writeUInt32BE(at);
    yield Buffer.from(piece);
  }
}

const DAV = '/remote.php/webdav/Films';

async function put(url: string, uid: string, name: string): Promise<string> {
  const hash = createHash('sha1');
  const headers = { authorization: basicAuth(uid, PASSWORD), 'content-length': SIZE };
  const outgoing = request(`${url}${DAV}/${name}`, { method: 'PUT', headers });
  const answered = new Promise<number>((done, failed) => {
    outgoing.on('response', (answer) => done(answer.resume().statusCode!)).on('error', failed);
  });
  const hashed = function* (): Generator<Buffer> {
    for (const piece of content()) {
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(Readable.from(hashed()), outgoing);
  expect(await answered).toBe(201);
  return hash.digest('hex');
}

async function get(url: string, uid: string, name: string): Promise<string> {
  const hash = createHash('sha1');
  await new Promise<void>((done, failed) => {
    request(`${url}${DAV}/${name}`, { headers: { authorization: basicAuth(uid, PASSWORD) } }, (answer) => {
      answer.on('data', (piece: Buffer) => hash.update(piece));
      answer.on('end', () => (answer.complete ? done() : failed(new Error('cut short'))));
      answer.on('error', failed);
    })
      .on('error', failed)
      .end();
  });
  return hash.digest('hex');
}

describe(`a file of ${SIZE / MEGABYTE} MB in a folder of another instance`, () => {
  let a: WholeInstance;
  let b: WholeInstance;

  beforeAll(async () => {
    [a, b] = await Promise.all([WholeInstance.start('alice'), WholeInstance.start('bob')]);
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    const made = await fetch(`${a.url}/remote.php/webdav/Films`, { method: 'MKCOL', headers });
    expect([made.status, await made.text()]).toEqual([201, '']);
    const shareWith = `bob@${new URL(b.url).host}`;
    await a.call('alice', 'POST', SHARES, { path: '/Films', shareType: '6', shareWith });
    const [pending] = (await b.call('bob', 'GET', `${REMOTE_SHARES}/pending`)) as { id: number }[];
    await b.call('bob', 'POST', `${REMOTE_SHARES}/pending/${pending!.id}`);
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is written and read completely, in little memory', async () => {
    const written = await put(b.url, 'bob', 'film.bin');
    expect(await get(b.url, 'bob', 'film.bin')).toBe(written);
    const etag = await etagAt(b, 'bob', 'film.bin');
    await eventually('the delivery', () => isDelivered(b), DELIVERY_MS);
    expect(await get(a.url, 'alice', 'film.bin')).toBe(written);
    expect(await get(b.url, 'bob', 'film.bin')).toBe(written);
    expect(await etagAt(b, 'bob', 'film.bin')).toBe(etag);
    const peaks = { a: a.peaks(), b: b.peaks() };
    process.stderr.write(
      `${SIZE / MEGABYTE} MB through the mount, peaks in MB: ${JSON.stringify(peaks, (_, value: unknown) => (typeof value === 'number' ? Math.round(value / MEGABYTE) : value))}\n`,
    );
    // No other program handles the bytes.
    for (const { files } of [peaks.a, peaks.b]) expect(files).toBeLessThan(MOST_BYTES);
  });

  it('is neither lost nor doubled if its owner is away and its delivery is killed', async () => {
    await a.kill('files');
    const written = await put(b.url, 'bob', 'late.bin');
    expect(await get(b.url, 'bob', 'late.bin')).toBe(written);
    const etag = await etagAt(b, 'bob', 'late.bin');
    expect(await b.call('bob', 'GET', '/apps/drawbridge/api/v1/stored-writes')).toMatchObject([
      { path: '/Films/late.bin', size: SIZE, share: 'Films', partner: new URL(a.url).host },
    ]);
    await a.startApp('files');
    for (let kills = 0; kills < KILLS; kills++) {
      await eventually('a delivery is under way', () => isUnderWay(b), DELIVERY_MS);
      await b.kill('files');
      await b.startApp('files');
    }
    await eventually('the delivery', () => isDelivered(b), DELIVERY_MS);
    expect(await get(a.url, 'alice', 'late.bin')).toBe(written);
    expect(await etagAt(b, 'bob', 'late.bin')).toBe(etag);
    expect(await b.query(`SELECT path FROM node WHERE received_share_id IS NULL AND kind = 'file'`)).toEqual(
      [],
    );
    expect(await b.query(`SELECT subject FROM notification WHERE object_type = 'stored_write'`)).toEqual([]);
  });
});

/** Ends the pauses between attempts. */
async function makeDue(instance: WholeInstance): Promise<void> {
  await instance.query('UPDATE stored_write SET due_at = now() WHERE due_at > now() AND held_until IS NULL');
}

async function isDelivered(instance: WholeInstance): Promise<boolean> {
  await makeDue(instance);
  const [row] = await instance.query<{ left: number }>('SELECT count(*)::int AS left FROM stored_write');
  return row!.left === 0;
}

/** Also true after the delivery, because small files and fast machines finish early. */
async function isUnderWay(instance: WholeInstance): Promise<boolean> {
  await makeDue(instance);
  const [row] = await instance.query<{ waiting: number; held: number }>(
    'SELECT count(*)::int AS waiting, count(*) FILTER (WHERE held_until > now())::int AS held FROM stored_write',
  );
  return row!.waiting === 0 || row!.held > 0;
}

async function etagAt({ url }: WholeInstance, uid: string, name: string): Promise<string | null> {
  const headers = { authorization: basicAuth(uid, PASSWORD) };
  const reply = await fetch(`${url}${DAV}/${name}`, { method: 'HEAD', headers });
  expect(reply.status).toBe(200);
  return reply.headers.get('etag');
}
