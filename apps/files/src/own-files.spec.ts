import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { basicAuth } from '../../../libs/testing/src/in-process-gateway';
import { FILES_PASSWORD, FilesApp } from '../../../libs/testing/src/files-app';
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
const text = async (path: string): Promise<string> => (await files.dav('GET', 'alice', path)).text();

function storedFiles(): string[] {
  const names = readdirSync(files.blobDirectory, { recursive: true }) as string[];
  return names.filter((name) => statSync(join(files.blobDirectory, name)).isFile());
}

describe('the files of a user', () => {
  it('are put, read, listed, and removed', async () => {
    expect(await status(files.dav('MKCOL', 'alice', '/notes'))).toBe(201);
    expect(await status(put('/notes/a.txt', 'one'))).toBe(201);
    expect(await status(put('/notes/a.txt', 'second'))).toBe(204);

    const read = await files.dav('GET', 'alice', '/notes/a.txt');
    expect([read.status, await read.text()]).toEqual([200, 'second']);

    const listing = await files.dav('PROPFIND', 'alice', '/notes', { headers: { depth: '1' } });
    const xml = await listing.text();
    expect(listing.status).toBe(207);
    expect(xml).toContain('<d:href>/remote.php/webdav/notes/</d:href>');
    expect(xml).toContain('<d:href>/remote.php/webdav/notes/a.txt</d:href>');
    expect(xml).toContain('<d:getcontentlength>6</d:getcontentlength>');

    const before = storedFiles().length;
    expect(await status(files.dav('DELETE', 'alice', '/notes'))).toBe(204);
    expect(await status(files.dav('PROPFIND', 'alice', '/notes/a.txt'))).toBe(404);
    expect(storedFiles().length).toBe(before - 1);
  });

  it.each([
    'a & b', '?abc=oc #', '@a#8a=b?c=d', '50%25=0 +plus', 'नेपाली फोल्डर', 'España àôœ€', '😀 📁',
    "it's; (a) [b] {c}", '...dots.and spaces', '%2e%2e', 'a\\b', '"quoted"', '<tag>', 'trailing.', 'é', 'e\u0301',
  ])('may be called %j', async (name) => {
    expect(await status(files.dav('MKCOL', 'alice', `/${name}`))).toBe(201);
    expect(await status(put(`/${name}/${name}`, name))).toBe(201);
    expect(await text(`/${name}/${name}`)).toBe(name);
    expect(await status(files.transfer('MOVE', 'alice', `/${name}/${name}`, `/${name}/moved ${name}`))).toBe(201);
    const listing = await (await files.dav('PROPFIND', 'alice', `/${name}`, { headers: { depth: '1' } })).text();
    const href = new URL(files.addressOf(`/${name}/moved ${name}`)).pathname;
    expect(listing.replaceAll('&amp;', '&')).toContain(decodeURIComponent(href) === href ? href : encodeURIComponent(`moved ${name}`));
  });

  it('differ by case and by the form of their Unicode', async () => {
    await put('/case.txt', 'lower');
    await put('/CASE.txt', 'upper');
    expect([await text('/case.txt'), await text('/CASE.txt')]).toEqual(['lower', 'upper']);
  });

  it('have the same addresses under every name of the tree', async () => {
    await put('/alias.txt', 'here');
    const headers = { authorization: basicAuth('alice', FILES_PASSWORD) };
    for (const base of ['/remote.php/webdav', '/remote.php/files', '/remote.php/dav/files/alice', '/remote.php//dav/files/alice/']) {
      expect(await (await fetch(`${files.url}${base}/alias.txt`, { headers })).text()).toBe('here');
    }
    for (const path of ['/remote.php/dav/files/brian/alias.txt', '/remote.php/dav/', '/remote.php/dav/files', '/remote.php/dav/trash-bin/alice', '/remote.php']) {
      const reply = await fetch(files.url + path, { method: 'PROPFIND', headers });
      expect([path, reply.status, (await reply.text()).includes('Sabre\\DAV\\Exception\\NotFound')]).toEqual([path, 404, true]);
    }
  });

  it('move and copy with all below them, in one piece', async () => {
    await files.dav('MKCOL', 'alice', '/tree');
    await files.dav('MKCOL', 'alice', '/tree/inner');
    await put('/tree/inner/deep.txt', 'deep');
    expect(await status(files.transfer('COPY', 'alice', '/tree', '/twin'))).toBe(201);
    expect(await status(files.transfer('MOVE', 'alice', '/tree', '/moved'))).toBe(201);
    expect([await text('/moved/inner/deep.txt'), await text('/twin/inner/deep.txt')]).toEqual(['deep', 'deep']);
    expect(await status(files.dav('PROPFIND', 'alice', '/tree/inner'))).toBe(404);
    await put('/twin/inner/deep.txt', 'other');
    expect(await text('/moved/inner/deep.txt')).toBe('deep');
    expect(await status(files.transfer('COPY', 'alice', '/moved', '/shallow', { depth: '0' }))).toBe(201);
    expect(await status(files.dav('PROPFIND', 'alice', '/shallow/inner'))).toBe(404);
  });

  it('are overwritten by MOVE and COPY only where that was asked for', async () => {
    await put('/from.txt', 'from');
    await put('/to.txt', 'to');
    expect(await status(files.transfer('COPY', 'alice', '/from.txt', '/to.txt'))).toBe(412);
    expect(await status(files.transfer('COPY', 'alice', '/from.txt', '/to.txt', { overwrite: 'T' }))).toBe(204);
    expect(await text('/to.txt')).toBe('from');
    expect(await status(files.transfer('MOVE', 'alice', '/from.txt', '/to.txt', { overwrite: 'T' }))).toBe(204);
    expect(await status(files.dav('GET', 'alice', '/from.txt'))).toBe(404);
  });

  it('keep their id when they move, and their times when a client says them', async () => {
    const reply = await put('/old name.txt', 'x', { 'x-oc-mtime': '1000000000' });
    expect(reply.headers.get('x-oc-mtime')).toBe('accepted');
    const id = await files.property('alice', '/old name.txt', 'oc:id');
    expect(reply.headers.get('oc-fileid')).toBe(id);
    expect(id).toMatch(/^\d{8}oc[0-9a-f]{10}$/);
    await files.transfer('MOVE', 'alice', '/old name.txt', '/new name.txt');
    expect(await files.property('alice', '/new name.txt', 'oc:id')).toBe(id);
    expect(await files.property('alice', '/new name.txt', 'd:getlastmodified')).toBe('Sun, 09 Sep 2001 01:46:40 GMT');
  });
});

describe('requests that are refused', () => {
  beforeAll(async () => {
    await files.dav('MKCOL', 'alice', '/refuse');
    await put('/refuse/file.txt', 'keep');
  });

  it.each<[string, string, number, { body?: string; headers?: Record<string, string> }?]>([
    ['MKCOL', '/refuse', 405],
    ['MKCOL', '/refuse/a/b', 409],
    ['MKCOL', '/refuse/file.txt/b', 409],
    ['MKCOL', '/refuse/new', 415, { body: '<a/>' }],
    ['MKCOL', '/', 405],
    ['PUT', '/refuse/a/b.txt', 409, { body: 'x' }],
    ['PUT', '/refuse/file.txt/b.txt', 409, { body: 'x' }],
    ['PUT', '/refuse', 409, { body: 'x' }],
    ['PUT', '/', 409, { body: 'x' }],
    ['PUT', '/refuse/.htaccess', 403, { body: 'x' }],
    ['PUT', '/refuse/upload.part', 400, { body: 'x' }],
    ['PUT', '/refuse/upload.filepart', 400, { body: 'x' }],
    ['PUT', '/refuse/a\u0007b', 400, { body: 'x' }],
    ['PUT', `/refuse/${'n'.repeat(256)}`, 400, { body: 'x' }],
    ['PUT', `/refuse/${'ü'.repeat(128)}`, 400, { body: 'x' }],
    ['PUT', `/refuse${`/${'d'.repeat(250)}`.repeat(16)}`, 400, { body: 'x' }],
    ['PUT', '/refuse/ranged', 400, { body: 'x', headers: { 'content-range': 'bytes 0-0/2' } }],
    ['PUT', '/refuse/chunk', 501, { body: 'x', headers: { 'oc-chunked': '1' } }],
    ['PUT', '/refuse/time', 400, { body: 'x', headers: { 'x-oc-mtime': 'yesterday' } }],
    ['PUT', '/refuse/sum', 400, { body: 'x', headers: { 'oc-checksum': `SHA1:${'0'.repeat(40)}` } }],
    ['PUT', '/refuse/file.txt', 412, { body: 'x', headers: { 'if-none-match': '*' } }],
    ['PUT', '/refuse/file.txt', 412, { body: 'x', headers: { 'if-match': '"nothing"' } }],
    ['PUT', '/refuse/none.txt', 412, { body: 'x', headers: { 'if-match': '*' } }],
    ['DELETE', '/refuse/none', 404],
    ['DELETE', '/', 403],
    ['DELETE', '/refuse/file.txt', 412, { headers: { 'if-match': '"nothing"' } }],
    ['GET', '/refuse', 405],
    ['GET', '/refuse/none', 404],
    ['GET', '/refuse/file.txt', 416, { headers: { range: 'bytes=4-' } }],
    ['PROPFIND', '/refuse', 403, { headers: { depth: 'infinity' } }],
    ['PROPFIND', '/refuse', 400, { headers: { depth: '2' } }],
    ['PROPFIND', '/refuse', 400, { body: '<not-xml' }],
    ['PROPFIND', '/refuse', 400, { body: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }],
    ['PROPFIND', '/refuse', 400, { body: '<d:other xmlns:d="DAV:"/>' }],
    ['PROPFIND', '/refuse', 413, { body: ' '.repeat(70_000) }],
    ['PROPFIND', '/refuse/none', 404],
    ['PROPPATCH', '/refuse', 400, { body: '' }],
    ['PROPPATCH', '/refuse/none', 404, { body: '<d:propertyupdate xmlns:d="DAV:"><d:remove><d:prop><a/></d:prop></d:remove></d:propertyupdate>' }],
    ['LOCK', '/refuse', 405],
    ['UNLOCK', '/refuse', 405],
    ['POST', '/refuse', 405],
    ['MOVE', '/refuse', 400],
    ['MOVE', '/refuse', 400, { headers: { destination: 'nonsense' } }],
    ['MOVE', '/refuse', 404, { headers: { destination: '/elsewhere' } }],
    ['MOVE', '/refuse', 404, { headers: { destination: '/remote.php/dav/files/brian/stolen' } }],
    ['MOVE', '/refuse', 403, { headers: { destination: '/remote.php/webdav/refuse' } }],
    ['MOVE', '/refuse', 409, { headers: { destination: '/remote.php/webdav/refuse/inside' } }],
    ['MOVE', '/refuse/file.txt', 409, { headers: { destination: '/remote.php/webdav/refuse' } }],
    ['MOVE', '/refuse/file.txt', 409, { headers: { destination: '/remote.php/webdav/no/where' } }],
    ['MOVE', '/refuse/file.txt', 400, { headers: { destination: '/remote.php/webdav/a', overwrite: 'maybe' } }],
    ['MOVE', '/refuse/file.txt', 400, { headers: { destination: '/remote.php/webdav/a%2Fb' } }],
    ['MOVE', '/refuse/file.txt', 400, { headers: { destination: '/remote.php/webdav/%ff' } }],
    ['MOVE', '/refuse/file.txt', 403, { headers: { destination: '/remote.php/webdav/.htaccess' } }],
    ['MOVE', '/', 403, { headers: { destination: '/remote.php/webdav/root' } }],
    ['COPY', '/refuse', 409, { headers: { destination: '/remote.php/webdav/refuse/inside' } }],
    ['COPY', '/refuse/none', 404, { headers: { destination: '/remote.php/webdav/copy' } }],
  ])('%s %s is answered %i', async (method, path, expected, options = {}) => {
    const reply = await files.dav(method, 'alice', path, options);
    expect(reply.status).toBe(expected);
    expect(await reply.text()).toContain('<s:exception>');
    expect(await text('/refuse/file.txt')).toBe('keep');
  });

  it.each(['/remote.php/webdav/%ff', '/remote.php/webdav/%zz', '/remote.php/webdav/a%2Fb', '/remote.php/webdav/%00'])('%s is answered 400', async (path) => {
    const raw = await rawRequest(`PROPFIND ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicAuth('alice', FILES_PASSWORD)}\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('never lead out of the root', async () => {
    for (const path of ['/remote.php/webdav/../../etc/passwd', '/remote.php/webdav/%2e%2e/%2e%2e/etc/passwd']) {
      const raw = await rawRequest(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicAuth('alice', FILES_PASSWORD)}\r\nConnection: close\r\n\r\n`);
      expect(raw).toMatch(/^HTTP\/1\.1 40[04] /);
    }
  });

  it('say how to sign in', async () => {
    const missing = await fetch(`${files.url}/remote.php/webdav/`, { method: 'PROPFIND' });
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Basic realm="Drawbridge", charset="UTF-8"');
    expect(await missing.text()).toContain('<s:exception>Sabre\\DAV\\Exception\\NotAuthenticated</s:exception>');
    const byScript = await fetch(`${files.url}/remote.php/webdav/`, { headers: { 'x-requested-with': 'XMLHttpRequest', authorization: basicAuth('alice', 'wrong') } });
    expect(byScript.status).toBe(401);
    expect(byScript.headers.get('www-authenticate')).toBe('DummyBasic realm="Drawbridge", charset="UTF-8"');
  });

  it.each(['/', '/s/abc', '/index.php/s/abc'])('GET %s has no page yet', async (path) => {
    expect((await fetch(files.url + path)).status).toBe(404);
  });
});

describe('the content of a file', () => {
  const content = 'abcdefghijklmnopqrstuvwxyz';
  beforeAll(() => put('/letters.txt', content));

  it.each([
    ['bytes=0-3', 206, 'abcd', 'bytes 0-3/26'],
    ['bytes=23-', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=-2', 206, 'yz', 'bytes 24-25/26'],
    ['bytes=20-99', 206, 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=0-0,5-5', 200, content, null],
    ['bytes=9-3', 200, content, null],
    ['lines=1-2', 200, content, null],
  ])('answers Range: %s', async (range, expected, body, contentRange) => {
    const reply = await files.dav('GET', 'alice', '/letters.txt', { headers: { range } });
    expect([reply.status, await reply.text(), reply.headers.get('content-range')]).toEqual([expected, body, contentRange]);
  });

  it('is sent only when it is new to the client', async () => {
    const etag = (await files.dav('HEAD', 'alice', '/letters.txt')).headers.get('etag')!;
    const conditional = (headers: Record<string, string>) => status(files.dav('GET', 'alice', '/letters.txt', { headers }));
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

  it('is described by HEAD without being sent', async () => {
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

  it('is checked against the sum that came with it', async () => {
    const sum = createHash('sha1').update('summed').digest('hex');
    expect(await status(put('/summed.txt', 'summed', { 'oc-checksum': `SHA1:${sum}` }))).toBe(201);
    expect(await files.property('alice', '/summed.txt', 'oc:checksums')).toContain(`SHA1:${sum} MD5:`);
  });

  it('leaves nothing when the client goes away in the middle', async () => {
    const before = storedFiles().length;
    const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
    socket.write(
      `PUT /remote.php/webdav/half.bin HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicAuth('alice', FILES_PASSWORD)}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`,
    );
    await eventually('the upload starts', () => storedFiles().length > before);
    socket.destroy();
    await eventually('the temporary file goes', () => storedFiles().length === before);
    expect(await status(files.dav('GET', 'alice', '/half.bin'))).toBe(404);
  });

  it('may be empty', async () => {
    expect(await status(put('/empty', ''))).toBe(201);
    const read = await files.dav('GET', 'alice', '/empty');
    expect([read.status, await read.text(), read.headers.get('content-length')]).toEqual([200, '', '0']);
  });
});

async function rawRequest(request: string): Promise<string> {
  const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
  socket.write(request);
  let reply = '';
  for await (const chunk of socket) reply += String(chunk);
  return reply;
}
