import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
});
afterAll(() => files.stop());

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const put = (path: string, body = 'x', headers: Record<string, string> = {}): Promise<Response> =>
  files.dav('PUT', 'alice', path, { body, headers });

describe('the content of a file', () => {
  const content = 'abcdefghijklmnopqrstuvwxyz';
  beforeAll(() => put('/letters.txt', content));

  it.each([
    ['bytes=0-3', 206, 'abcd', 'bytes 0-3/26'],
    ['bytes=23-', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=-2', 206, 'yz', 'bytes 24-25/26'],
    ['bytes=20-99', 206, 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=0-3,2-5', 206, 'abcdef', 'bytes 0-5/26'],
    ['bytes=0-1,99-', 206, 'ab', 'bytes 0-1/26'],
    ['bytes=30-,40-', 416, expect.stringContaining('26 bytes'), 'bytes */26'],
    [`bytes=${Array.from({ length: 33 }, () => '0-0').join(',')}`, 200, content, null],
    ['bytes=9-3', 200, content, null],
    ['lines=1-2', 200, content, null],
  ])('answers Range: %s', async (range, expected, body, contentRange) => {
    const reply = await files.dav('GET', 'alice', '/letters.txt', { headers: { range } });
    expect([reply.status, await reply.text(), reply.headers.get('content-range')]).toEqual([
      expected,
      body,
      contentRange,
    ]);
  });

  it('is sent in several parts if a client requests several ranges', async () => {
    const reply = await files.dav('GET', 'alice', '/letters.txt', {
      headers: { range: 'bytes=20-,0-1, 5-5' },
    });
    expect(reply.status).toBe(206);
    const [, boundary] = /^multipart\/byteranges; boundary=(\w+)$/.exec(reply.headers.get('content-type')!)!;
    const body = await reply.text();
    expect(reply.headers.get('content-length')).toBe(String(body.length));
    const parts = body.split(`\r\n--${boundary}`);
    expect(parts).toEqual([
      '',
      '\r\nContent-Type: text/plain\r\nContent-Range: bytes 20-25/26\r\n\r\nuvwxyz',
      '\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/26\r\n\r\nab',
      '\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-5/26\r\n\r\nf',
      '--\r\n',
    ]);
  });

  it('is sent completely if the state in If-Range is outdated', async () => {
    const headers = { range: 'bytes=0-0,5-5', 'if-range': '"other"' };
    const reply = await files.dav('GET', 'alice', '/letters.txt', { headers });
    expect([reply.status, await reply.text()]).toEqual([200, content]);
    expect((await files.dav('HEAD', 'alice', '/letters.txt', { headers })).status).toBe(200);
  });

  it('is sent only if it is new to the client', async () => {
    const etag = (await files.dav('HEAD', 'alice', '/letters.txt')).headers.get('etag')!;
    const conditional = (headers: Record<string, string>) =>
      status(files.dav('GET', 'alice', '/letters.txt', { headers }));
    expect(await conditional({ 'if-none-match': etag })).toBe(304);
    expect(await conditional({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await conditional({ 'if-none-match': '"other"' })).toBe(200);
    expect(await conditional({ 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() })).toBe(304);
    expect(await conditional({ 'if-modified-since': new Date(0).toUTCString() })).toBe(200);
    expect(await conditional({ 'if-match': etag })).toBe(200);
    expect(await conditional({ 'if-match': '"other"' })).toBe(412);
    expect(await conditional({ range: 'bytes=0-1', 'if-range': '"other"' })).toBe(200);
    expect(await conditional({ range: 'bytes=0-1', 'if-range': etag })).toBe(206);
  });

  it('keeps its protection and its rules of caching in a client that is told that it did not change', async () => {
    const whole = await files.dav('GET', 'alice', '/letters.txt');
    const headers = { 'if-none-match': whole.headers.get('etag')! };
    for (const method of ['GET', 'HEAD'])
      for (const name of ['cache-control', 'content-security-policy', 'etag', 'last-modified'])
        expect((await files.dav(method, 'alice', '/letters.txt', { headers })).headers.get(name)).toBe(
          whole.headers.get(name),
        );
  });

  it('has none for a folder, which answers HEAD', async () => {
    await files.dav('MKCOL', 'alice', '/headed');
    const head = await files.dav('HEAD', 'alice', '/headed');
    expect([head.status, head.headers.get('etag')]).toEqual([200, expect.stringMatching(/^".+"$/)]);
    expect(head.headers.get('oc-fileid')).toMatch(/\d/);
    expect((await files.dav('GET', 'alice', '/headed')).status).toBe(405);
  });

  it('is described by HEAD without a body', async () => {
    const head = await files.dav('HEAD', 'alice', '/letters.txt');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '26', '']);
  });

  it('cannot run in a browser', async () => {
    await put('/page.html', '<script>alert(1)</script>');
    const reply = await files.dav('GET', 'alice', '/page.html');
    expect(reply.headers.get('content-disposition')).toContain('attachment');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('is compared with the checksum of the upload', async () => {
    const sum = createHash('sha1').update('summed').digest('hex');
    const md5 = createHash('md5').update('summed').digest('hex');
    expect(await status(put('/summed.txt', 'summed', { 'oc-checksum': `SHA1:${sum}` }))).toBe(201);
    expect(await files.property('alice', '/summed.txt', 'oc:checksums')).toContain(
      `SHA1:${sum} MD5:${md5} ADLER32:092a028c`,
    );
    expect(await status(put('/summed.txt', 'summed', { 'oc-checksum': 'ADLER32:92a028c' }))).toBe(204);
    expect(await status(put('/summed.txt', 'Summed', { 'oc-checksum': 'ADLER32:92a028c' }))).toBe(400);
  });

  describe('asked for a checksum by PATCH', () => {
    const asked = (path: string, kind?: string, uid = 'alice'): Promise<Response> =>
      files.dav('PATCH', uid, path, { headers: kind === undefined ? {} : { 'x-recalculate-hash': kind } });

    beforeAll(async () => {
      await put('/asked.txt', 'asked');
      await files.dav('MKCOL', 'alice', '/asked');
    });

    it.each(['sha1', 'MD5'])('answers %s of the stored content', async (kind) => {
      const reply = await asked('/asked.txt', kind);
      const sum = createHash(kind).update('asked').digest('hex');
      expect([reply.status, reply.headers.get('oc-checksum')]).toEqual([204, `${kind.toUpperCase()}:${sum}`]);
    });

    it.each([
      ['of a kind that is not stored', '/asked.txt', 'sha256', 400],
      ['of no kind', '/asked.txt', '', 400],
      ['without the header', '/asked.txt', undefined, 405],
      ['of a folder', '/asked', 'sha1', 405],
      ['of a file that is missing', '/missing.txt', 'sha1', 404],
    ])('answers none %s', async (_, path, kind, expected) => {
      const reply = await asked(path, kind);
      expect([reply.status, reply.headers.get('oc-checksum')]).toEqual([expected, null]);
    });

    it('answers none of a file that the recipient may only view', async () => {
      const id = await files.share({
        path: '/asked.txt',
        owner: 'alice',
        recipient: 'brian',
        permissions: 1,
      });
      await files.setAttributes(
        id,
        JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]),
      );
      const reply = await asked('/asked.txt', 'sha1', 'brian');
      expect([reply.status, reply.headers.get('oc-checksum')]).toEqual([403, null]);
    });
  });

  it('is not kept if the client leaves during the upload', async () => {
    const before = files.storedFiles().length;
    const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
    socket.write(
      `PUT /remote.php/webdav/half.bin HTTP/1.1\r\nHost: x\r\nAuthorization: ${files.authorizationOf('alice')}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`,
    );
    await eventually('the upload starts', () => files.storedFiles().length > before);
    socket.destroy();
    await eventually('the temporary file goes', () => files.storedFiles().length === before);
    expect(await status(files.dav('GET', 'alice', '/half.bin'))).toBe(404);
  });

  it('may be empty', async () => {
    expect(await status(put('/empty', ''))).toBe(201);
    const read = await files.dav('GET', 'alice', '/empty');
    expect([read.status, await read.text(), read.headers.get('content-length')]).toEqual([200, '', '0']);
  });
});
