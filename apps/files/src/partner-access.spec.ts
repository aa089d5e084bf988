import type { WebDAVClient } from 'webdav';
import { FilesApp } from '../../../libs/testing/src/files-app';
import {
  GOWEBDAV_PROPERTIES,
  LEGACY,
  OCM,
  ReadingPartner,
  WAYS_IN,
} from '../../../libs/testing/src/reading-partner';

let files: FilesApp;
let partner: ReadingPartner;
let run = 0;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
  partner = new ReadingPartner(files.url);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/file.txt', { body: 'of alice' });
});

const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  files.database.dataSource.query<Row[]>(text, values);
const shareFolder = (permissions = 31) =>
  files.federatedShare({ path: '/folder', owner: alice, permissions });

describe.each(WAYS_IN)('a shared folder, at %s', (way) => {
  it.each([
    // permissions, letters, read, entries, make, overwrite, rename, delete
    [1, '', 200, 2, 403, 403, 403, 403],
    [3, 'NV', 200, 2, 403, 204, 201, 403],
    [5, 'CK', 200, 2, 201, 403, 403, 403],
    [9, 'D', 200, 2, 403, 403, 403, 204],
    [15, 'DNVCK', 200, 2, 201, 204, 201, 204],
    [31, 'RDNVCK', 200, 2, 201, 204, 201, 204],
    [4, 'CK', 404, 1, 201, 403, 404, 403],
  ])(
    'with permissions %i allows exactly these',
    async (permissions, letters, read, entries, make, overwrite, rename, remove) => {
      const secret = await shareFolder(permissions);
      expect(await partner.valueOf(way, secret, 'share-permissions')).toBe(String(permissions));
      expect((await partner.valueOf(way, secret, 'oc:permissions')) ?? '').toBe(letters);
      expect(await partner.statusOf(way, secret, 'GET', '/file.txt')).toBe(read);
      expect(await partner.statusOf(way, secret, 'HEAD', '/file.txt')).toBe(read);
      expect(await partner.listed(way, secret)).toHaveLength(entries);
      expect(await partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(make);
      expect(await partner.statusOf(way, secret, 'MKCOL', '/sub')).toBe(make);
      const copied = read === 200 ? make : read;
      expect(await partner.statusOf(way, secret, 'COPY', '/file.txt', { to: '/copy.txt' })).toBe(copied);
      expect(await partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'changed' })).toBe(overwrite);
      expect(await partner.statusOf(way, secret, 'MOVE', '/file.txt', { to: '/renamed.txt' })).toBe(rename);
      const left = rename === 201 ? '/renamed.txt' : '/file.txt';
      expect(await partner.statusOf(way, secret, 'DELETE', left)).toBe(remove);
      expect(await partner.statusOf(way, secret, 'DELETE', '/')).toBe(403);
      expect(await partner.statusOf(way, secret, 'OPTIONS')).toBe(200);
    },
  );

  it('leads nowhere else', async () => {
    await files.dav('MKCOL', brian, '/his');
    const [secret, other] = [await shareFolder(), await files.federatedShare({ path: '/his', owner: brian })];
    for (const destination of [
      `${files.url}/remote.php/webdav/stolen.txt`,
      `${files.url}/remote.php/dav/files/${alice}/stolen.txt`,
      `${files.url}/dav/ocm/${other.id}/stolen.txt`,
      `${files.url}/remote.php/dav/public-files/${other.token}/stolen.txt`,
    ])
      expect(await partner.statusOf(way, secret, 'COPY', '/file.txt', { headers: { destination } })).toBe(
        404,
      );
    expect(await partner.statusOf(way, secret, 'GET', '/%2e%2e/file.txt')).not.toBe(200);
  });

  it('shows at once what its owner changes, and the owner what is changed here', async () => {
    const secret = await shareFolder();
    const etag = () => partner.valueOf(way, secret, 'getetag');
    const [first, size] = [await etag(), await partner.valueOf(way, secret, 'oc:size')];
    expect(size).toBe('8');
    await files.dav('PUT', alice, '/folder/file.txt', { body: 'changed by alice' });
    const second = await etag();
    expect(second).not.toBe(first);
    expect(await (await partner.ask(way, secret, 'GET', '/file.txt')).text()).toBe('changed by alice');
    await partner.ask(way, secret, 'PUT', '/file.txt', { body: 'changed by bea' });
    expect(await etag()).not.toBe(second);
    expect(await (await files.dav('GET', alice, '/folder/file.txt')).text()).toBe('changed by bea');
    await files.transfer('MOVE', alice, '/folder', '/moved away');
    expect(await partner.statusOf(way, secret, 'GET', '/file.txt')).toBe(200);
    await sql('UPDATE share SET permissions = 1 WHERE id = $1', [secret.id]);
    expect(await partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'x' })).toBe(403);
  });

  it('counts uploads to the owner', async () => {
    await sql('UPDATE user_account SET quota_bytes = 20 WHERE uid = $1', [alice]);
    const secret = await shareFolder();
    expect(await partner.statusOf(way, secret, 'PUT', '/big.txt', { body: 'x'.repeat(13) })).toBe(507);
    expect(await partner.statusOf(way, secret, 'PUT', '/fits.txt', { body: 'x'.repeat(12) })).toBe(201);
  });

  it('has a single file as its root', async () => {
    const secret = await files.federatedShare({ path: '/folder/file.txt', owner: alice, permissions: 19 });
    const xml = await (await partner.propfind(way, secret)).text();
    const root = partner.rootOf(way, secret) === '/public.php/webdav' ? '/' : '';
    expect(xml).toContain(`<d:href>${partner.rootOf(way, secret)}${root}</d:href>`);
    expect(xml).toContain('<d:resourcetype/>');
    expect(xml).toContain('<d:getcontentlength>8</d:getcontentlength>');
    expect(xml).toContain('<oc:permissions>RNVW</oc:permissions>');
    expect(xml).toMatch(/share-permissions[^>]*>19</);
    expect(await partner.listed(way, secret)).toEqual([root]);
    for (const path of ['', '/', '/file.txt']) {
      expect(await (await partner.ask(way, secret, 'GET', path)).text()).toBe('of alice');
      expect(
        await partner.propfind(way, secret, path, GOWEBDAV_PROPERTIES).then(({ status }) => status),
      ).toBe(207);
    }
    expect(await partner.statusOf(way, secret, 'PUT', '', { body: 'changed' })).toBe(204);
    expect(await partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'again' })).toBe(204);
    expect(await partner.statusOf(way, secret, 'PUT', '/other.txt', { body: 'x' })).toBe(409);
    expect(await (await files.dav('GET', alice, '/folder/file.txt')).text()).toBe('again');
  });
});

describe('the address by provider id', () => {
  it('has its root at <id>, <id>/ and <id>/.', async () => {
    const secret = await shareFolder();
    for (const path of ['', '/', '/.', '/./file.txt']) {
      const reply = await files.rawRequest(
        `PROPFIND /dav/ocm/${secret.id}${path} HTTP/1.1\r\nHost: files\r\nAuthorization: Bearer ${secret.token}\r\n` +
          'Depth: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      );
      expect(reply).toContain('HTTP/1.1 207');
    }
    expect(await partner.listed(OCM, secret)).toEqual(['/', '/file.txt']);
  });

  it('goes on showing a single file by the name that it was shared under', async () => {
    const secret = await files.federatedShare({ path: '/folder/file.txt', owner: alice });
    await files.transfer('MOVE', alice, '/folder/file.txt', '/folder/renamed.txt');
    expect(await (await partner.ask(OCM, secret, 'GET', '/file.txt')).text()).toBe('of alice');
    expect(
      await partner.propfind(OCM, secret, '/file.txt', GOWEBDAV_PROPERTIES).then(({ status }) => status),
    ).toBe(207);
    expect(await partner.statusOf(OCM, secret, 'GET', '/file.txt/deeper')).toBe(404);
    expect(await partner.statusOf(OCM, secret, 'PUT', '/file.txt', { body: 'x' })).toBe(409);
  });

  it('takes the secret of its own share only', async () => {
    const [one, other] = [
      await shareFolder(),
      await files.federatedShare({ path: '/folder', owner: alice, recipient: 'bob@other.example' }),
    ];
    const link = await files.link({ path: '/folder', owner: alice });
    for (const id of [other.id, '0', `0${one.id}`, `${one.id}.0`, 'x', '999999999999999999999'])
      expect(await partner.rootStatus(OCM, { id, token: one.token })).toBe(401);
    expect(await partner.rootStatus(OCM, link)).toBe(401);
    expect(await partner.rootStatus('public.php with Bearer', link)).toBe(401);
    expect(await partner.rootStatus(LEGACY, link)).toBe(207);
  });

  it.each(['/dav', '/dav/ocm', '/dav/ocm/', '/dav/ocm/1', '/remote.php/dav/ocm/1', '/public.php/webdav'])(
    '%s asks who has nothing for credentials',
    async (path) => {
      const reply = await fetch(files.url + path, { method: 'PROPFIND' });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await reply.text()).toContain(
        '<s:exception>Sabre\\DAV\\Exception\\NotAuthenticated</s:exception>',
      );
    },
  );
});

describe('a client that others have written', () => {
  it.each(['/public.php/webdav', '/dav/ocm'])('works at %s', async (base) => {
    const secret = await shareFolder();
    const { createClient } = await import('webdav');
    const address = files.url + (base === '/dav/ocm' ? `${base}/${secret.id}` : base);
    const client: WebDAVClient = createClient(address, { username: secret.token, password: '' });
    await client.createDirectory('/a b#');
    await client.putFileContents('/a b#/ü.txt', 'hello');
    await client.copyFile('/a b#/ü.txt', '/copy.txt');
    await client.moveFile('/copy.txt', '/moved.txt');
    expect(await client.getFileContents('/moved.txt', { format: 'text' })).toBe('hello');
    const entries = (await client.getDirectoryContents('/')) as { basename: string }[];
    expect(entries.map(({ basename }) => basename).sort()).toEqual(['a b#', 'file.txt', 'moved.txt']);
    await client.deleteFile('/a b#');
    expect(await client.exists('/a b#')).toBe(false);
  });
});
