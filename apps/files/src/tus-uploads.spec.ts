import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { UnfinishedUploads, userView } from '#storage';
import { eventually } from '../../../libs/testing/src';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'small');
});
afterAll(() => files.stop());

type Headers = Record<string, string>;
const VERSION = { 'tus-resumable': '1.0.0' };
const BYTES = { 'content-type': 'application/offset+octet-stream' };
const named = (name: string, more: Headers = {}): string =>
  Object.entries({ filename: name, ...more })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Sends a request as a user, or without credentials. */
function send(
  method: string,
  path: string,
  uid: string | null,
  headers: Headers,
  body?: Buffer,
): Promise<Response> {
  const authorization: Headers = uid === null ? {} : { authorization: files.authorizationOf(uid) };
  return fetch(new URL(path, files.url), {
    method,
    headers: { ...VERSION, ...authorization, ...headers },
    body: body && new Uint8Array(body),
  });
}

const folder = (uid = 'alice'): string => `/remote.php/dav/files/${uid}`;
const begin = (
  length: number,
  name: string,
  headers: Headers = {},
  uid: string | null = 'alice',
  at = folder(),
) => send('POST', at, uid, { 'upload-length': String(length), 'upload-metadata': named(name), ...headers });
const patch = (
  location: string,
  offset: number,
  body: Buffer,
  headers: Headers = {},
  uid: string | null = 'alice',
) => send('PATCH', location, uid, { 'upload-offset': String(offset), ...BYTES, ...headers }, body);
const head = (location: string, uid: string | null = 'alice') => send('HEAD', location, uid, {});
/** Address of a new upload, without its host. */
const locationOf = (reply: Response): string => {
  const location = reply.headers.get('location')!;
  expect(location.startsWith(`${files.url}/`)).toBe(true);
  return location.slice(files.url.length);
};
const offsetOf = (reply: Response): number => Number(reply.headers.get('upload-offset'));
const content = async (uid: string, path: string): Promise<Buffer> =>
  Buffer.from(await (await files.dav('GET', uid, path)).arrayBuffer());

describe('an upload by TUS', () => {
  const bytes = randomBytes(300_000);

  it('becomes a file when all of its bytes are there', async () => {
    const stored = files.storedFiles().length;
    const created = await begin(bytes.length, 'tus.bin', {
      'upload-metadata': named('tus.bin', { mtime: '1700000000' }),
      // Time of the upload, as rclone sends it.
      'x-oc-mtime': '1795639139',
    });
    expect([created.status, offsetOf(created)]).toEqual([201, 0]);
    expect(Date.parse(created.headers.get('upload-expires')!)).toBeGreaterThan(Date.now());
    const location = locationOf(created);
    const first = await patch(location, 0, bytes.subarray(0, 100_000));
    expect([first.status, offsetOf(first)]).toEqual([204, 100_000]);
    expect((await files.dav('GET', 'alice', '/tus.bin')).status).toBe(404);
    const asked = await head(location);
    expect([asked.status, offsetOf(asked), asked.headers.get('upload-length')]).toEqual([
      200,
      100_000,
      '300000',
    ]);
    expect(asked.headers.get('cache-control')).toBe('no-store');
    const last = await patch(location, 100_000, bytes.subarray(100_000));
    expect([last.status, offsetOf(last)]).toEqual([204, 300_000]);
    for (const name of ['etag', 'oc-etag', 'oc-fileid', 'oc-perm', 'x-oc-mtime', 'tus-resumable'])
      expect(last.headers.get(name)).toBeTruthy();
    expect(await content('alice', '/tus.bin')).toEqual(bytes);
    expect(await files.property('alice', '/tus.bin', 'd:getlastmodified')).toBe(
      'Tue, 14 Nov 2023 22:13:20 GMT',
    );
    expect(files.storedFiles()).toHaveLength(stored + 1);
    // A sender who lost the last answer learns that everything has arrived.
    expect(offsetOf(await head(location))).toBe(300_000);
  });

  it('may send its first bytes with its creation, or all of them', async () => {
    const headers = { ...BYTES, 'upload-length': '6', 'upload-metadata': named('/at-once.txt') };
    const half = await send('POST', folder(), 'alice', headers, Buffer.from('abc'));
    expect([half.status, offsetOf(half)]).toEqual([201, 3]);
    expect((await patch(locationOf(half), 3, Buffer.from('def'))).status).toBe(204);
    expect((await content('alice', '/at-once.txt')).toString()).toBe('abcdef');
    const all = await send('POST', folder(), 'alice', headers, Buffer.from('ABCDEF'));
    expect([all.status, offsetOf(all)]).toEqual([201, 6]);
    expect((await content('alice', '/at-once.txt')).toString()).toBe('ABCDEF');
    const empty = await begin(0, 'empty.txt');
    expect([empty.status, offsetOf(empty)]).toEqual([201, 0]);
    expect((await content('alice', '/empty.txt')).length).toBe(0);
  });

  it('keeps the bytes that arrived before its sender left', async () => {
    const location = locationOf(await begin(bytes.length, 'broken.bin'));
    const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
    socket.write(
      `PATCH ${location} HTTP/1.1\r\nHost: x\r\nAuthorization: ${files.authorizationOf('alice')}\r\nTus-Resumable: 1.0.0\r\n` +
        `Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 120_000), () => setImmediate(() => socket.destroy()));
    const kept: number = await eventually('bytes are kept', async () => {
      const offset = offsetOf(await head(location));
      return offset > 0 ? offset : undefined;
    });
    expect(kept).toBeLessThanOrEqual(120_000);
    expect((await patch(location, kept, bytes.subarray(kept))).status).toBe(204);
    expect(await content('alice', '/broken.bin')).toEqual(bytes);
  });

  it('is not continued at another offset, with too many bytes, or with another type', async () => {
    const location = locationOf(await begin(4, 'strict.txt'));
    expect((await patch(location, 1, Buffer.from('x'))).status).toBe(409);
    expect((await patch(location, 0, Buffer.from('12345'))).status).toBe(413);
    expect((await patch(location, 0, Buffer.from('1'), { 'content-type': 'text/plain' })).status).toBe(415);
    expect(
      (
        await send('PATCH', location, 'alice', {
          ...VERSION,
          'upload-offset': '0',
          ...BYTES,
          'tus-resumable': '0.2',
        })
      ).status,
    ).toBe(412);
    const [one, other] = await Promise.all([1, 2].map(() => patch(location, 0, Buffer.from('ab'))));
    expect([one!.status, other!.status].sort()).toEqual([204, 409]);
    expect(offsetOf(await head(location))).toBe(2);
  });

  it('refuses bytes with a wrong checksum, and keeps none of them', async () => {
    const location = locationOf(await begin(6, 'checked.txt'));
    const sum = (text: string) => `sha1 ${createHash('sha1').update(text).digest('base64')}`;
    const wrong = await patch(location, 0, Buffer.from('abc'), { 'upload-checksum': sum('abd') });
    expect(wrong.status).toBe(460);
    expect(offsetOf(await head(location))).toBe(0);
    expect((await patch(location, 0, Buffer.from('abc'), { 'upload-checksum': 'crc32 AAAA' })).status).toBe(
      400,
    );
    expect((await patch(location, 0, Buffer.from('abc'), { 'upload-checksum': sum('abc') })).status).toBe(
      204,
    );
    expect((await patch(location, 3, Buffer.from('def'))).status).toBe(204);
  });

  it('becomes no file with a wrong checksum', async () => {
    const metadata = named('summed.txt', { checksum: `SHA1 ${'0'.repeat(40)}` });
    const location = locationOf(await begin(3, 'summed.txt', { 'upload-metadata': metadata }));
    expect((await patch(location, 0, Buffer.from('abc'))).status).toBe(400);
    expect((await files.dav('GET', 'alice', '/summed.txt')).status).toBe(404);
  });

  it('is removed with its bytes', async () => {
    const stored = files.storedFiles().length;
    const location = locationOf(await begin(6, 'ended.txt'));
    await patch(location, 0, Buffer.from('abc'));
    expect((await send('DELETE', location, 'alice', {})).status).toBe(204);
    expect((await head(location)).status).toBe(404);
    expect(files.storedFiles()).toHaveLength(stored);
  });

  it('can be concatenated from partial uploads', async () => {
    const partial = async (text: string): Promise<string> => {
      const headers = { 'upload-concat': 'partial', 'upload-length': String(text.length) };
      const location = locationOf(await send('POST', folder(), 'alice', headers));
      await patch(location, 0, Buffer.from(text));
      return location;
    };
    const parts = [await partial('first '), await partial('second')];
    const unfinished = locationOf(
      await send('POST', folder(), 'alice', { 'upload-concat': 'partial', 'upload-length': '9' }),
    );
    const join = (names: string[]) =>
      send('POST', folder(), 'alice', {
        'upload-concat': `final;${names.join(' ')}`,
        'upload-metadata': named('joined.txt'),
      });
    expect((await join([...parts, unfinished])).status).toBe(400);
    const joined = await join(parts);
    expect([joined.status, offsetOf(joined), joined.headers.get('upload-concat')]).toEqual([
      201,
      12,
      `final;${parts.join(' ')}`,
    ]);
    expect((await content('alice', '/joined.txt')).toString()).toBe('first second');
    expect((await head(parts[0]!)).status).toBe(404);
  });

  it('that was interrupted before it became a file becomes one at the next request of its sender', async () => {
    const location = locationOf(await begin(3, 'late.txt'));
    const name = location.slice(location.lastIndexOf('/') + 1);
    const uploads = files.get(UnfinishedUploads);
    const upload = await uploads.find({ uid: 'alice' }, name);
    const piece = { view: userView('alice'), offset: 0 };
    await uploads.putPiece(upload, '0'.repeat(20), Readable.from([Buffer.from('abc')]), piece);
    expect((await files.dav('GET', 'alice', '/late.txt')).status).toBe(404);
    expect(offsetOf(await head(location))).toBe(3);
    expect((await content('alice', '/late.txt')).toString()).toBe('abc');
  });
});

describe('the right to upload by TUS', () => {
  it('belongs to everybody who may write in the folder', async () => {
    await files.dav('MKCOL', 'brian', '/shown');
    await files.share({ owner: 'brian', path: '/shown', recipient: 'alice', permissions: 1 });
    expect((await begin(3, 'shown/new.txt')).status).toBe(403);
    expect((await begin(3, 'missing/new.txt')).status).toBe(409);
    expect((await begin(3, '.htaccess')).status).toBe(403);
    expect((await begin(3, '../brian/x.txt')).status).toBe(400);
    expect((await begin(3, 'x.txt', {}, 'alice', folder('brian'))).status).toBe(404);
    expect((await begin(3, 'x.txt', {}, null)).status).toBe(401);
  });

  it('uses their quota', async () => {
    await files.database.dataSource.query(`UPDATE user_account SET quota_bytes = 10 WHERE uid = 'small'`);
    expect((await begin(11, 'a.txt', {}, 'small', folder('small'))).status).toBe(507);
    const location = locationOf(await begin(10, 'a.txt', {}, 'small', folder('small')));
    expect((await patch(location, 0, Buffer.from('12345'), {}, 'small')).status).toBe(204);
    expect((await files.dav('PUT', 'small', '/b.txt', { body: '123456' })).status).toBe(507);
    expect((await patch(location, 5, Buffer.from('67890'), {}, 'small')).status).toBe(204);
    expect((await content('small', '/a.txt')).toString()).toBe('1234567890');
  });

  it('does not extend to uploads of others', async () => {
    const location = locationOf(await begin(6, 'mine.txt'));
    expect((await head(location, 'brian')).status).toBe(404);
    expect((await head(location.replace('alice', 'brian'), 'brian')).status).toBe(404);
    expect((await head(location, null)).status).toBe(401);
    const method = { method: 'GET', headers: { authorization: files.authorizationOf('alice') } };
    expect((await fetch(new URL('/remote.php/dav/tus/files/alice/tus.bin', files.url), method)).status).toBe(
      404,
    );
  });
});

describe('uploads by TUS through a link', () => {
  const at = (token: string): string => `/remote.php/dav/public-files/${token}`;

  it('need a link that accepts files, and end with it', async () => {
    await files.dav('MKCOL', 'alice', '/linked');
    const readOnly = await files.link({ owner: 'alice', path: '/linked', permissions: 1 });
    expect((await begin(3, 'a.txt', {}, null, at(readOnly.token))).status).toBe(403);
    const open = await files.link({ owner: 'alice', path: '/linked', permissions: 15 });
    const created = await begin(6, 'a.txt', {}, null, at(open.token));
    const location = locationOf(created);
    expect((await patch(location, 0, Buffer.from('abc'), {}, null)).status).toBe(204);
    expect((await head(location.replace(open.token, readOnly.token), null)).status).toBe(404);
    expect((await patch(location, 3, Buffer.from('def'), {}, null)).status).toBe(204);
    expect((await content('alice', '/linked/a.txt')).toString()).toBe('abcdef');
    const second = locationOf(await begin(6, 'b.txt', {}, null, at(open.token)));
    await files.database.dataSource.query('DELETE FROM share WHERE id = $1', [open.id]);
    expect((await head(second, null)).status).toBe(404);
  });

  it('need its password each time', async () => {
    const { token } = await files.link({
      owner: 'alice',
      path: '/linked',
      permissions: 15,
      password: 'of-the-link',
    });
    const headers = { authorization: `Basic ${Buffer.from('public:of-the-link').toString('base64')}` };
    expect((await begin(3, 'c.txt', {}, null, at(token))).status).toBe(401);
    const location = locationOf(await begin(3, 'c.txt', headers, null, at(token)));
    expect((await patch(location, 0, Buffer.from('abc'), {}, null)).status).toBe(401);
    expect((await patch(location, 0, Buffer.from('abc'), headers, null)).status).toBe(204);
  });

  it('get another name in a file drop, and show nothing of its entries', async () => {
    await files.dav('MKCOL', 'alice', '/drop');
    await files.dav('PUT', 'alice', '/drop/taken.txt', { body: 'of alice' });
    const { token } = await files.link({ owner: 'alice', path: '/drop', permissions: 4 });
    const created = await begin(3, 'sub/taken.txt', {}, null, at(token));
    expect((await patch(locationOf(created), 0, Buffer.from('one'), {}, null)).status).toBe(204);
    const taken = locationOf(await begin(3, 'taken.txt', {}, null, at(token)));
    expect((await patch(taken, 0, Buffer.from('two'), {}, null)).status).toBe(204);
    expect((await content('alice', '/drop/taken.txt')).toString()).toBe('of alice');
    expect((await content('alice', '/drop/taken (2).txt')).toString()).toBe('two');
    expect((await content('alice', '/drop/sub/taken.txt')).toString()).toBe('one');
  });
});
