import { createHash, randomBytes } from 'node:crypto';
import { UploadFiguresRepository } from '#persistence';
import { Metrics } from '#platform';
import { BlobSweep, UnfinishedUploads } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'small');
});
afterAll(() => files.stop());

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly as?: string;
}

/** Sends a request below `remote.php/dav/uploads`, as the user in the path unless `as` names another. */
function send(method: string, path: string, { body, headers, as }: Sent = {}): Promise<Response> {
  const uid = as ?? path.split('/')[0]!;
  return fetch(`${files.url}/remote.php/dav/uploads/${path}`, {
    method,
    headers: { authorization: files.authorizationOf(uid), ...headers },
    body: typeof body === 'string' ? body : body && new Uint8Array(body),
  });
}

const placeOf = (uid: string, path: string): string => `${files.url}/remote.php/dav/files/${uid}${path}`;
const move = (upload: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  send('MOVE', `${upload}/.file`, {
    headers: { destination: placeOf(upload.split('/')[0]!, path), ...headers },
  });
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const statusOf = async (reply: Promise<Response>): Promise<number> => (await reply).status;

async function begin(upload: string, chunks: Record<string, string>): Promise<void> {
  expect(await statusOf(send('MKCOL', upload))).toBe(201);
  for (const [name, body] of Object.entries(chunks))
    expect(await statusOf(send('PUT', `${upload}/${name}`, { body }))).toBe(201);
}

const bytesOfUploads = async (): Promise<number> => {
  const rows: { bytes: number }[] = await files.database.dataSource.query(
    'SELECT coalesce(sum(received_bytes), 0)::bigint AS bytes FROM upload',
  );
  return rows[0]!.bytes;
};

describe('unfinished uploads', () => {
  it('are counted for metrics, and long expired ones for operators', async () => {
    await begin('alice/counted', { '1': 'seven b', '2': 'more' });
    const metrics = await files.get(Metrics).render();
    expect(metrics).toContain('drawbridge_unfinished_uploads 1\n');
    expect(metrics).toContain('drawbridge_unfinished_upload_bytes 11\n');
    await files.database.dataSource.query(`UPDATE upload SET touched_at = now() - interval '4 days'`);
    expect(await files.get(UploadFiguresRepository).figures()).toEqual({ uploads: 1, bytes: 11, overdue: 1 });
    await files.get(UnfinishedUploads).removeExpired();
    expect(await files.get(UploadFiguresRepository).figures()).toEqual({ uploads: 0, bytes: 0, overdue: 0 });
  });
});

describe('an upload in chunks', () => {
  it('becomes a file with the bytes of the chunks in the order of their numbers', async () => {
    await begin('alice/one', { '2': 'second ', '10': 'tenth', '1': 'first ' });
    const before = files.storedFiles().length;
    const reply = await move('alice/one', '/joined.txt', {
      'oc-total-length': '18',
      'x-oc-mtime': '1700000000',
    });
    expect(reply.status).toBe(201);
    for (const name of ['etag', 'oc-etag', 'oc-fileid', 'oc-perm'])
      expect(reply.headers.get(name)).toBeTruthy();
    expect(reply.headers.get('x-oc-mtime')).toBe('accepted');
    expect(await text('alice', '/joined.txt')).toBe('first second tenth');
    expect(await files.property('alice', '/joined.txt', 'd:getlastmodified')).toBe(
      'Tue, 14 Nov 2023 22:13:20 GMT',
    );
    // The parts are gone, and the file exists.
    expect(files.storedFiles()).toHaveLength(before - 3 + 1);
    expect(await statusOf(send('PROPFIND', 'alice/one'))).toBe(404);
  });

  it('overwrites a file, and keeps its id', async () => {
    await files.dav('PUT', 'alice', '/kept.txt', { body: 'old' });
    const id = await files.property('alice', '/kept.txt', 'oc:fileid');
    await begin('alice/over', { '0': 'new ', '4': 'content' });
    expect(await statusOf(move('alice/over', '/kept.txt'))).toBe(204);
    expect(await text('alice', '/kept.txt')).toBe('new content');
    expect(await files.property('alice', '/kept.txt', 'oc:fileid')).toBe(id);
  });

  it('lists its chunks with their sizes, so that a client can continue', async () => {
    await begin('alice/list', {
      '000000000000000-000000000000003': 'abc',
      '000000000000003-000000000000008': 'defgh',
    });
    const listing = await (await send('PROPFIND', 'alice/list', { headers: { depth: '1' } })).text();
    const base = '<d:href>/remote.php/dav/uploads/alice/list/';
    expect(listing).toContain(`${base}</d:href>`);
    expect(listing).toContain(`${base}000000000000003-000000000000008</d:href>`);
    expect(listing).toContain('<d:getcontentlength>5</d:getcontentlength>');
    const all = await (await send('PROPFIND', 'alice', { headers: { depth: '1' } })).text();
    expect(all).toContain(`${base}</d:href>`);
    await send('DELETE', 'alice/list');
  });

  it('accepts a chunk again, and replaces the one before', async () => {
    await begin('alice/again', { '1': 'wrong', '2': ' end' });
    expect(await bytesOfUploads()).toBe(9);
    expect(await statusOf(send('PUT', 'alice/again/1', { body: 'the' }))).toBe(201);
    expect(await bytesOfUploads()).toBe(7);
    expect(await statusOf(move('alice/again', '/again.txt'))).toBe(201);
    expect(await text('alice', '/again.txt')).toBe('the end');
  });

  it('is removed with all its chunks', async () => {
    const before = files.storedFiles().length;
    await begin('alice/aborted', { '1': 'a', '2': 'b' });
    expect(await statusOf(send('DELETE', 'alice/aborted/2'))).toBe(204);
    expect(files.storedFiles()).toHaveLength(before + 1);
    expect(await statusOf(send('DELETE', 'alice/aborted'))).toBe(204);
    expect(files.storedFiles()).toHaveLength(before);
    expect(await statusOf(move('alice/aborted', '/aborted.txt'))).toBe(404);
  });

  it('becomes no file if its size or checksum is wrong, and can be repaired', async () => {
    await begin('alice/sum', { '1': 'some content' });
    expect(await statusOf(move('alice/sum', '/sum.txt', { 'oc-total-length': '11' }))).toBe(400);
    const wrong = `SHA1:${'0'.repeat(40)}`;
    expect(await statusOf(move('alice/sum', '/sum.txt', { 'oc-checksum': wrong }))).toBe(400);
    expect(await statusOf(files.dav('GET', 'alice', '/sum.txt'))).toBe(404);
    const right = `SHA1:${createHash('sha1').update('some content').digest('hex')}`;
    expect(
      await statusOf(move('alice/sum', '/sum.txt', { 'oc-checksum': right, 'oc-total-length': '12' })),
    ).toBe(201);
  });

  it('does not overwrite a file in another state than its client knows', async () => {
    await files.dav('PUT', 'alice', '/known.txt', { body: 'old' });
    const etag = (await files.dav('HEAD', 'alice', '/known.txt')).headers.get('etag')!;
    await files.dav('PUT', 'alice', '/known.txt', { body: 'changed' });
    await begin('alice/known', { '1': 'mine' });
    const about = (tag: string) => ({ if: `<${placeOf('alice', '/known.txt')}> ([${tag}])` });
    expect(await statusOf(move('alice/known', '/known.txt', about(etag)))).toBe(412);
    expect(await statusOf(move('alice/known', '/known.txt', { 'if-match': etag }))).toBe(412);
    expect(await statusOf(move('alice/known', '/known.txt', { overwrite: 'F' }))).toBe(412);
    const now = (await files.dav('HEAD', 'alice', '/known.txt')).headers.get('etag')!;
    expect(await statusOf(move('alice/known', '/known.txt', about(now)))).toBe(204);
    expect(await text('alice', '/known.txt')).toBe('mine');
  });

  it('is completed once by two clients that move it at the same time', async () => {
    await begin('alice/twice', { '1': randomBytes(200_000).toString('hex') });
    const replies = await Promise.all([1, 2].map((n) => statusOf(move('alice/twice', `/twice-${n}.txt`))));
    expect(replies.filter((status) => status === 201)).toHaveLength(1);
    expect(
      replies.filter((status) => status !== 201).every((status) => status === 404 || status === 409),
    ).toBe(true);
    const found = await Promise.all(
      [1, 2].map((n) => statusOf(files.dav('GET', 'alice', `/twice-${n}.txt`))),
    );
    expect(found.sort()).toEqual([200, 404]);
  });

  it('keeps nothing of an interrupted chunk', async () => {
    await begin('alice/broken', {});
    const before = files.storedFiles().length;
    await files.rawRequest(
      `PUT /remote.php/dav/uploads/alice/broken/1 HTTP/1.1\r\nHost: x\r\nAuthorization: ${files.authorizationOf('alice')}\r\n` +
        'Content-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(await bytesOfUploads()).toBe(0);
    expect(files.storedFiles()).toHaveLength(before + 1);
    await send('DELETE', 'alice/broken');
  });
});

describe('the place of an upload in chunks, known from its beginning', () => {
  const to = (path: string, headers = {}) => ({
    headers: { destination: placeOf('alice', path), ...headers },
  });

  it('has to be writable', async () => {
    await files.dav('MKCOL', 'alice', '/folder');
    expect(await statusOf(send('MKCOL', 'alice/v2', to('/missing/file.txt')))).toBe(409);
    expect(await statusOf(send('MKCOL', 'alice/v2', to('/folder')))).toBe(409);
    expect(await statusOf(send('MKCOL', 'alice/v2', to('/.htaccess')))).toBe(403);
    expect(await statusOf(send('MKCOL', 'alice/v2', to('/fine.txt')))).toBe(201);
    expect(await statusOf(send('MKCOL', 'alice/v2', to('/fine.txt')))).toBe(405);
  });

  it('is the only possible one at the end, with chunks named 1 to 10000', async () => {
    for (const name of ['0', '10001', 'a', '1.5'])
      expect(await statusOf(send('PUT', `alice/v2/${name}`, { body: 'x', ...to('/fine.txt') }))).toBe(400);
    expect(await statusOf(send('PUT', 'alice/v2/1', { body: 'fine', ...to('/fine.txt') }))).toBe(201);
    expect(await statusOf(move('alice/v2', '/other.txt'))).toBe(400);
    expect(await statusOf(move('alice/v2', '/fine.txt'))).toBe(201);
    expect(await text('alice', '/fine.txt')).toBe('fine');
  });
});

describe('chunks that are sent next to their file', () => {
  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    files.dav('PUT', 'alice', path, { body, headers: { 'oc-chunked': '1', ...headers } });

  it('become a file when the last one arrives, in any order', async () => {
    await files.dav('MKCOL', 'alice', '/olden');
    expect(await statusOf(put('/olden/a-b.txt-chunking-4711-3-2', 'third'))).toBe(201);
    expect(await statusOf(put('/olden/a-b.txt-chunking-4711-3-0', 'first '))).toBe(201);
    expect(await statusOf(files.dav('GET', 'alice', '/olden/a-b.txt'))).toBe(404);
    const last = await put('/olden/a-b.txt-chunking-4711-3-1', 'second ', { 'x-oc-mtime': '1700000000' });
    expect(last.status).toBe(201);
    for (const name of ['etag', 'oc-fileid', 'oc-perm', 'x-oc-mtime'])
      expect(last.headers.get(name)).toBeTruthy();
    expect(await text('alice', '/olden/a-b.txt')).toBe('first second third');
    expect(await statusOf(put('/olden/a-b.txt-chunking-4712-1-0', 'again'))).toBe(201);
    expect(await text('alice', '/olden/a-b.txt')).toBe('again');
    const listing = await (
      await files.dav('PROPFIND', 'alice', '/olden', { headers: { depth: '1' } })
    ).text();
    expect(listing).not.toContain('chunking');
  });

  it('become a file with any name', async () => {
    const name = 'two\u2028lines.txt';
    expect(await statusOf(put(`/${name}-chunking-6-1-0`, 'any'))).toBe(201);
    expect(await text('alice', `/${name}`)).toBe('any');
  });

  it('become one file when the last two arrive at once', async () => {
    const before = files.storedFiles().length;
    const chunk = (index: number) => put(`/olden/once.txt-chunking-5-2-${index}`, String(index));
    const replies = await whenBothAreStored(() => Promise.all([chunk(0), chunk(1)]));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies.some(({ headers }) => headers.has('etag'))).toBe(true);
    expect(await text('alice', '/olden/once.txt')).toBe('01');
    expect(files.storedFiles()).toHaveLength(before + 1);
  });

  /** Runs two requests; neither looks for the chunks before both have stored theirs. */
  async function whenBothAreStored<T>(send: () => Promise<T>): Promise<T> {
    const uploads = files.get(UnfinishedUploads);
    const look = uploads.pieces.bind(uploads);
    const { promise: bothStored, resolve } = Promise.withResolvers<void>();
    let looks = 0;
    uploads.pieces = async (upload) => {
      if (++looks === 2) resolve();
      await bothStored;
      return look(upload);
    };
    try {
      return await send();
    } finally {
      uploads.pieces = look;
    }
  }

  it('are answered when one comes again while the file is made, as when it comes later', async () => {
    const chunk = (index: number) => put(`/olden/again.txt-chunking-6-2-${index}`, String(index));
    const before = files.storedFiles().length;
    await chunk(0);
    const uploads = files.get(UnfinishedUploads);
    const store = uploads.putPiece.bind(uploads);
    uploads.putPiece = async (...piece) => {
      uploads.putPiece = store;
      expect(await statusOf(chunk(1))).toBe(201);
      return store(...piece);
    };
    expect(await statusOf(chunk(0))).toBe(201);
    expect(await text('alice', '/olden/again.txt')).toBe('01');
    expect(files.storedFiles()).toHaveLength(before + 1);
    expect(await statusOf(chunk(0))).toBe(201);
    expect(await text('alice', '/olden/again.txt')).toBe('01');
  });

  it('are refused when one comes again while the upload ends without a file', async () => {
    const chunk = (index: number) => put(`/olden/ended.txt-chunking-7-2-${index}`, String(index));
    await chunk(0);
    const before = files.storedFiles().length;
    const uploads = files.get(UnfinishedUploads);
    const store = uploads.putPiece.bind(uploads);
    uploads.putPiece = async (upload, ...piece) => {
      uploads.putPiece = store;
      await uploads.abort(upload);
      return store(upload, ...piece);
    };
    expect(await statusOf(chunk(0))).toBe(409);
    expect(files.storedFiles()).toHaveLength(before - 1);
  });

  it('get the refusal of the file, also if one comes again meanwhile', async () => {
    const wrong = { 'oc-checksum': `SHA1:${'0'.repeat(40)}` };
    const chunk = (index: number) => put(`/olden/wrong.txt-chunking-8-2-${index}`, String(index), wrong);
    await chunk(0);
    const uploads = files.get(UnfinishedUploads);
    const publish = uploads.publish.bind(uploads);
    uploads.publish = async (...file) => {
      uploads.publish = publish;
      expect(await statusOf(chunk(0))).toBe(400);
      return publish(...file);
    };
    expect(await statusOf(chunk(1))).toBe(400);
    expect(await statusOf(files.dav('GET', 'alice', '/olden/wrong.txt'))).toBe(404);
  });

  it('are refused with other names, and in forbidden places', async () => {
    for (const name of [
      'a',
      'a-chunking-1-2-2',
      'a-chunking-1-0-0',
      'a-chunking-1-10001-0',
      'a-chunking-x-2-1',
    ])
      expect(await statusOf(put(`/olden/${name}`, 'x'))).toBe(400);
    expect(await statusOf(put('/nowhere/a-chunking-1-2-0', 'x'))).toBe(409);
    expect(await statusOf(put('/olden-chunking-1-2-0', 'x'))).toBe(409);
  });
});

describe('unfinished uploads', () => {
  it('uploads in chunks are visible to their user only', async () => {
    await begin('alice/private', { '1': 'secret' });
    for (const method of ['PROPFIND', 'MKCOL', 'PUT', 'DELETE', 'MOVE', 'OPTIONS'])
      expect(await statusOf(send(method, 'alice/private/1', { as: 'brian', body: undefined }))).toBe(404);
    const elsewhere = { headers: { destination: placeOf('brian', '/taken.txt') } };
    expect(await statusOf(send('MOVE', 'alice/private/.file', elsewhere))).toBe(404);
    expect(
      await statusOf(fetch(`${files.url}/remote.php/dav/uploads/alice/private`, { method: 'PROPFIND' })),
    ).toBe(401);
    await send('DELETE', 'alice/private');
  });

  it('end only where their sender may write', async () => {
    await files.dav('MKCOL', 'brian', '/shown');
    await files.share({ owner: 'brian', path: '/shown', recipient: 'alice', permissions: 1 });
    await begin('alice/forbidden', { '1': 'x' });
    expect(await statusOf(move('alice/forbidden', '/shown/new.txt'))).toBe(403);
    const destination = placeOf('alice', '/shown/new.txt');
    expect(await statusOf(send('MKCOL', 'alice/forbidden2', { headers: { destination } }))).toBe(403);
    await send('DELETE', 'alice/forbidden');
  });

  it('count to the quota once', async () => {
    await files.database.dataSource.query(`UPDATE user_account SET quota_bytes = 100 WHERE uid = 'small'`);
    await begin('small/a', { '1': 'x'.repeat(60) });
    expect(await statusOf(send('PUT', 'small/a/1', { body: 'x'.repeat(60) }))).toBe(201);
    expect(await statusOf(send('PUT', 'small/a/1', { body: 'x'.repeat(101) }))).toBe(507);
    expect(await statusOf(files.dav('PUT', 'small', '/too-much.txt', { body: 'x'.repeat(41) }))).toBe(507);
    expect(await statusOf(send('PUT', 'small/a/2', { body: 'x'.repeat(41) }))).toBe(507);
    expect(await statusOf(send('PUT', 'small/a/2', { body: 'x'.repeat(40) }))).toBe(201);
    expect(await statusOf(move('small/a', '/all.txt'))).toBe(201);
    expect(await statusOf(files.dav('PUT', 'small', '/one-more.txt', { body: 'x' }))).toBe(507);
  });

  it('may replace a file that fills the quota, but not several times at once', async () => {
    const length = { 'oc-total-length': '100', destination: placeOf('small', '/all.txt') };
    expect(await statusOf(send('MKCOL', 'small/b', { headers: length }))).toBe(201);
    expect(await statusOf(send('MKCOL', 'small/c', { headers: length }))).toBe(201);
    expect(await statusOf(send('PUT', 'small/b/1', { body: 'y'.repeat(100) }))).toBe(201);
    expect(await statusOf(send('PUT', 'small/c/1', { body: 'z'.repeat(100) }))).toBe(507);
    expect(await statusOf(move('small/b', '/all.txt'))).toBe(204);
    await send('DELETE', 'small/c');
  });

  it('are limited in number', async () => {
    const set = (value: string) =>
      files.database.dataSource.query(
        `INSERT INTO setting (app, key, value) VALUES ('files', 'max_unfinished_uploads', '${value}')
         ON CONFLICT (app, key) DO UPDATE SET value = excluded.value`,
      );
    await set('2');
    const statuses: number[] = [];
    for (const name of ['n1', 'n2', 'n3']) statuses.push(await statusOf(send('MKCOL', `brian/${name}`)));
    expect(statuses).toEqual([201, 201, 507]);
    await set('1000');
  });

  it('expire some days after their last part, without a trace', async () => {
    const before = files.storedFiles().length;
    await begin('alice/old', { '1': 'a', '2': 'b' });
    await begin('alice/young', { '1': 'c' });
    const age = `UPDATE upload SET touched_at = now() - interval '49 hours' WHERE name = 'old'`;
    await files.database.dataSource.query(age);
    expect(await files.get(UnfinishedUploads).removeExpired()).toBe(1);
    expect(await statusOf(send('PROPFIND', 'alice/old'))).toBe(404);
    expect(await statusOf(send('PROPFIND', 'alice/young'))).toBe(207);
    expect(files.storedFiles()).toHaveLength(before + 1);
    await send('DELETE', 'alice/young');
  });

  it('are not removed by the sweep of unused contents', async () => {
    await begin('alice/swept', { '1': 'still here' });
    expect((await files.get(BlobSweep).run(0)).orphans).toBe(0);
    expect(await statusOf(move('alice/swept', '/swept.txt'))).toBe(201);
    expect(await text('alice', '/swept.txt')).toBe('still here');
  });
});

describe('an upload into a folder of somebody else', () => {
  /** Begins the upload `lost` of a recipient with one part. @returns the users, and a change of the share's permissions */
  async function beginning() {
    const [owner, sender] = await files.newPeople('owner', 'sender');
    await files.dav('MKCOL', owner, '/folder');
    await files.share({ path: '/folder', owner, recipient: sender, permissions: 31 });
    const destination = { destination: placeOf(sender, '/folder/file.txt') };
    expect(await statusOf(send('MKCOL', `${sender}/lost`, { headers: destination }))).toBe(201);
    expect(await statusOf(send('PUT', `${sender}/lost/1`, { body: 'a part' }))).toBe(201);
    const onShare = (sql: string) =>
      files.database.dataSource.query(
        `${sql} WHERE node_id = (SELECT id FROM node WHERE owner_uid = $1 AND name = 'folder')`,
        [owner],
      );
    return {
      ...{ owner, sender },
      permit: (permissions: number) => onShare(`UPDATE share SET permissions = ${permissions}`),
      end: () => onShare('DELETE FROM share'),
    };
  }

  async function expectRefusedParts(sender: string): Promise<void> {
    const before = await bytesOfUploads();
    for (const piece of ['1', '2'])
      expect(await statusOf(send('PUT', `${sender}/lost/${piece}`, { body: 'another one' }))).toBe(403);
    expect(await bytesOfUploads()).toBe(before);
  }

  it.each([1, 0])('waits while its sender has permissions %s there, and takes no bytes', async (left) => {
    const { owner, sender, permit } = await beginning();
    await permit(left);
    await expectRefusedParts(sender);
    await permit(31);
    expect(await statusOf(send('PUT', `${sender}/lost/2`, { body: ', and the end' }))).toBe(201);
    expect(await statusOf(move(`${sender}/lost`, '/folder/file.txt'))).toBe(201);
    expect(await text(owner, '/folder/file.txt')).toBe('a part, and the end');
  });

  it('takes no bytes of a former recipient', async () => {
    const { sender, end } = await beginning();
    await end();
    await expectRefusedParts(sender);
  });
});
