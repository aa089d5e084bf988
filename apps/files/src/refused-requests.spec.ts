import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { lockBody } from '../../../libs/testing/src/rigs/lock-client';

const PROPPATCH =
  '<d:propertyupdate xmlns:d="DAV:"><d:remove><d:prop><a/></d:prop></d:remove></d:propertyupdate>';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
});
afterAll(() => files.stop());

const put = (path: string, body = 'x', headers: Record<string, string> = {}): Promise<Response> =>
  files.dav('PUT', 'alice', path, { body, headers });
const text = async (path: string): Promise<string> => (await files.dav('GET', 'alice', path)).text();

describe('refused requests', () => {
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
    ['PUT', '/refuse/chunk', 400, { body: 'x', headers: { 'oc-chunked': '1' } }],
    ['PUT', '/refuse/time', 400, { body: 'x', headers: { 'x-oc-mtime': 'yesterday' } }],
    ['PUT', '/refuse/sum', 400, { body: 'x', headers: { 'oc-checksum': `SHA1:${'0'.repeat(40)}` } }],
    ['PUT', '/refuse/file.txt', 412, { body: 'x', headers: { 'if-none-match': '*' } }],
    ['PUT', '/refuse/file.txt', 412, { body: 'x', headers: { 'if-match': '"nothing"' } }],
    ['PUT', '/refuse/none.txt', 412, { body: 'x', headers: { 'if-match': '*' } }],
    ['DELETE', '/refuse/none', 404],
    ['DELETE', '/', 403],
    ['DELETE', '/refuse', 400, { headers: { depth: '0' } }],
    ['DELETE', '/refuse', 400, { headers: { depth: '1' } }],
    ['DELETE', '/refuse/file.txt', 412, { headers: { 'if-match': '"nothing"' } }],
    [
      'COPY',
      '/refuse/file.txt',
      412,
      { headers: { 'if-match': '"nothing"', destination: '/remote.php/webdav/copy' } },
    ],
    ['PROPPATCH', '/refuse/file.txt', 412, { body: PROPPATCH, headers: { 'if-match': '"nothing"' } }],
    ['LOCK', '/refuse/file.txt', 412, { body: lockBody(), headers: { 'if-match': '"nothing"' } }],
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
    ['PROPPATCH', '/refuse/none', 404, { body: PROPPATCH }],
    ['LOCK', '/refuse', 400],
    ['UNLOCK', '/refuse', 400],
    ['POST', '/refuse', 405],
    ['MOVE', '/refuse', 400],
    ['MOVE', '/refuse', 400, { headers: { destination: 'nonsense' } }],
    ['MOVE', '/refuse', 400, { headers: { destination: '/remote.php/webdav/gr\u00f6\u00dfe' } }],
    ['MOVE', '/refuse', 403, { headers: { destination: '/elsewhere' } }],
    ['MOVE', '/refuse', 404, { headers: { destination: '/remote.php/dav/files/brian/stolen' } }],
    ['MOVE', '/refuse', 403, { headers: { destination: '/remote.php/webdav/refuse' } }],
    ['MOVE', '/refuse', 409, { headers: { destination: '/remote.php/webdav/refuse/inside' } }],
    ['MOVE', '/refuse/file.txt', 409, { headers: { destination: '/remote.php/webdav/refuse' } }],
    ['MOVE', '/refuse/file.txt', 409, { headers: { destination: '/remote.php/webdav/no/where' } }],
    [
      'MOVE',
      '/refuse/file.txt',
      400,
      { headers: { destination: '/remote.php/webdav/a', overwrite: 'maybe' } },
    ],
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

  it('name the reserved extension in the text that clients show', async () => {
    const reply = await files.dav('MKCOL', 'alice', '/refuse/folder.Part');
    const words =
      'Can`t upload files with extension .part because these extensions are reserved for internal use.';
    expect(await reply.text()).toContain(`<o:reason xmlns:o="o:">${words}</o:reason>`);
  });

  it.each([
    '/remote.php/webdav/%ff',
    '/remote.php/webdav/%zz',
    '/remote.php/webdav/a%2Fb',
    '/remote.php/webdav/%00',
  ])('%s is answered 400', async (path) => {
    const raw = await files.rawRequest(
      `PROPFIND ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${files.authorizationOf('alice')}\r\nConnection: close\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('never lead out of the root', async () => {
    for (const path of [
      '/remote.php/webdav/../../etc/passwd',
      '/remote.php/webdav/%2e%2e/%2e%2e/etc/passwd',
    ]) {
      const raw = await files.rawRequest(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${files.authorizationOf('alice')}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1\.1 40[04] /);
    }
  });

  it('explain how to sign in', async () => {
    const missing = await fetch(`${files.url}/remote.php/webdav/`, { method: 'PROPFIND' });
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Basic realm="Drawbridge", charset="UTF-8"');
    expect(await missing.text()).toContain(
      '<s:exception>Sabre\\DAV\\Exception\\NotAuthenticated</s:exception>',
    );
    const byScript = await fetch(`${files.url}/remote.php/webdav/`, {
      headers: { 'x-requested-with': 'XMLHttpRequest', authorization: basicAuth('alice', 'wrong') },
    });
    expect(byScript.status).toBe(401);
    expect(byScript.headers.get('www-authenticate')).toBe('DummyBasic realm="Drawbridge", charset="UTF-8"');
  });

  it.each(['/', '/s/abc', '/index.php/s/abc', '/s/abc/download'])('GET %s has no content', async (path) => {
    expect((await fetch(files.url + path)).status).toBe(404);
  });
});
