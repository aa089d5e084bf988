import type { WebDAVClient } from 'webdav';
import {
  GOWEBDAV_PROPERTIES,
  LEGACY,
  OCM,
  WAYS_IN,
} from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';

const stage = sharedFolderStage();

describe.each(WAYS_IN)('a shared folder, at %s', (way) => {
  it.each([
    // Columns: permissions, letters, read, entries, make, overwrite, rename, delete
    [1, 'G', 200, 2, 403, 403, 403, 403],
    [3, 'NV', 200, 2, 403, 204, 201, 403],
    [5, 'CK', 200, 2, 201, 403, 403, 403],
    [9, 'D', 200, 2, 403, 403, 403, 204],
    [15, 'DNVCK', 200, 2, 201, 204, 201, 204],
    [31, 'RDNVCK', 200, 2, 201, 204, 201, 204],
    [4, 'CK', 404, 1, 201, 403, 404, 403],
  ])(
    'with permissions %i allows exactly these',
    async (permissions, letters, read, entries, make, overwrite, rename, remove) => {
      const secret = await stage.shareFolder(permissions);
      expect(await stage.partner.valueOf(way, secret, 'share-permissions')).toBe(String(permissions));
      expect((await stage.partner.valueOf(way, secret, 'oc:permissions')) ?? '').toBe(letters);
      expect(await stage.partner.statusOf(way, secret, 'GET', '/file.txt')).toBe(read);
      expect(await stage.partner.statusOf(way, secret, 'HEAD', '/file.txt')).toBe(read);
      expect(await stage.partner.listed(way, secret)).toHaveLength(entries);
      expect(await stage.partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(make);
      expect(await stage.partner.statusOf(way, secret, 'MKCOL', '/sub')).toBe(make);
      const copied = read === 200 ? make : read;
      expect(await stage.partner.statusOf(way, secret, 'COPY', '/file.txt', { to: '/copy.txt' })).toBe(
        copied,
      );
      expect(await stage.partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'changed' })).toBe(
        overwrite,
      );
      expect(await stage.partner.statusOf(way, secret, 'MOVE', '/file.txt', { to: '/renamed.txt' })).toBe(
        rename,
      );
      const left = rename === 201 ? '/renamed.txt' : '/file.txt';
      expect(await stage.partner.statusOf(way, secret, 'DELETE', left)).toBe(remove);
      expect(await stage.partner.statusOf(way, secret, 'DELETE', '/')).toBe(403);
      expect(await stage.partner.statusOf(way, secret, 'OPTIONS')).toBe(200);
    },
  );

  it('does not lead to files outside of it', async () => {
    await stage.files.dav('MKCOL', stage.brian, '/his');
    const [secret, other] = [
      await stage.shareFolder(),
      await stage.files.federatedShare({ path: '/his', owner: stage.brian }),
    ];
    for (const destination of [
      `${stage.files.url}/remote.php/webdav/stolen.txt`,
      `${stage.files.url}/remote.php/dav/files/${stage.alice}/stolen.txt`,
      `${stage.files.url}/dav/ocm/${other.id}/stolen.txt`,
      `${stage.files.url}/remote.php/dav/public-files/${other.token}/stolen.txt`,
    ])
      expect(
        await stage.partner.statusOf(way, secret, 'COPY', '/file.txt', { headers: { destination } }),
      ).toBe(404);
    expect(await stage.partner.statusOf(way, secret, 'GET', '/%2e%2e/file.txt')).not.toBe(200);
  });

  it('shows changes of its owner at once, and the owner changes made here', async () => {
    const secret = await stage.shareFolder();
    const etag = () => stage.partner.valueOf(way, secret, 'getetag');
    const [first, size] = [await etag(), await stage.partner.valueOf(way, secret, 'oc:size')];
    expect(size).toBe('8');
    await stage.files.dav('PUT', stage.alice, '/folder/file.txt', { body: 'changed by alice' });
    const second = await etag();
    expect(second).not.toBe(first);
    expect(await (await stage.partner.ask(way, secret, 'GET', '/file.txt')).text()).toBe('changed by alice');
    await stage.partner.ask(way, secret, 'PUT', '/file.txt', { body: 'changed by bea' });
    expect(await etag()).not.toBe(second);
    expect(await (await stage.files.dav('GET', stage.alice, '/folder/file.txt')).text()).toBe(
      'changed by bea',
    );
    await stage.files.transfer('MOVE', stage.alice, '/folder', '/moved away');
    expect(await stage.partner.statusOf(way, secret, 'GET', '/file.txt')).toBe(200);
    await stage.sql('UPDATE share SET permissions = 1 WHERE id = $1', [secret.id]);
    expect(await stage.partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'x' })).toBe(403);
  });

  it('counts uploads to the owner', async () => {
    await stage.sql('UPDATE user_account SET quota_bytes = 20 WHERE uid = $1', [stage.alice]);
    const secret = await stage.shareFolder();
    expect(await stage.partner.statusOf(way, secret, 'PUT', '/big.txt', { body: 'x'.repeat(13) })).toBe(507);
    expect(await stage.partner.statusOf(way, secret, 'PUT', '/fits.txt', { body: 'x'.repeat(12) })).toBe(201);
  });

  it('is the file itself if a single file is shared', async () => {
    const secret = await stage.files.federatedShare({
      path: '/folder/file.txt',
      owner: stage.alice,
      permissions: 19,
    });
    const xml = await (await stage.partner.propfind(way, secret)).text();
    const root = stage.partner.rootOf(way, secret) === '/public.php/webdav' ? '/' : '';
    expect(xml).toContain(`<d:href>${stage.partner.rootOf(way, secret)}${root}</d:href>`);
    expect(xml).toContain('<d:resourcetype/>');
    expect(xml).toContain('<d:getcontentlength>8</d:getcontentlength>');
    expect(xml).toContain('<oc:permissions>RNVW</oc:permissions>');
    expect(xml).toMatch(/share-permissions[^>]*>19</);
    expect(await stage.partner.listed(way, secret)).toEqual([root]);
    for (const path of ['', '/', '/file.txt']) {
      expect(await (await stage.partner.ask(way, secret, 'GET', path)).text()).toBe('of alice');
      expect(
        await stage.partner.propfind(way, secret, path, GOWEBDAV_PROPERTIES).then(({ status }) => status),
      ).toBe(207);
    }
    expect(await stage.partner.statusOf(way, secret, 'PUT', '', { body: 'changed' })).toBe(204);
    expect(await stage.partner.statusOf(way, secret, 'PUT', '/file.txt', { body: 'again' })).toBe(204);
    expect(await (await stage.files.dav('GET', stage.alice, '/folder/file.txt')).text()).toBe('again');
    const besideIt = root === '/' ? 409 : 204;
    expect(await stage.partner.statusOf(way, secret, 'PUT', '/other.txt', { body: 'x' })).toBe(besideIt);
  });
});

describe('the address by provider id', () => {
  it('has its root at <id>, <id>/ and <id>/.', async () => {
    const secret = await stage.shareFolder();
    for (const path of ['', '/', '/.', '/./file.txt']) {
      const reply = await stage.files.rawRequest(
        `PROPFIND /dav/ocm/${secret.id}${path} HTTP/1.1\r\nHost: files\r\nAuthorization: Bearer ${secret.token}\r\n` +
          'Depth: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      );
      expect(reply).toContain('HTTP/1.1 207');
    }
    expect(await stage.partner.listed(OCM, secret)).toEqual(['/', '/file.txt']);
  });

  it('still shows and changes a single file under the name of the offer', async () => {
    const secret = await stage.files.federatedShare({ path: '/folder/file.txt', owner: stage.alice });
    await stage.files.transfer('MOVE', stage.alice, '/folder/file.txt', '/folder/renamed.txt');
    expect(await (await stage.partner.ask(OCM, secret, 'GET', '/file.txt')).text()).toBe('of alice');
    expect(
      await stage.partner
        .propfind(OCM, secret, '/file.txt', GOWEBDAV_PROPERTIES)
        .then(({ status }) => status),
    ).toBe(207);
    expect(await stage.partner.statusOf(OCM, secret, 'GET', '/file.txt/deeper')).toBe(404);
    expect(await stage.partner.statusOf(OCM, secret, 'PUT', '/file.txt', { body: 'changed' })).toBe(204);
    const content = await stage.files.dav('GET', stage.alice, '/folder/renamed.txt');
    expect(await content.text()).toBe('changed');
    for (const method of ['DELETE', 'MKCOL'])
      expect(await stage.partner.statusOf(OCM, secret, method, '/file.txt')).not.toBeLessThan(400);
    const created = { body: 'x', headers: { 'if-none-match': '*' } };
    expect(await stage.partner.statusOf(OCM, secret, 'PUT', '/new.txt', created)).toBe(412);
    expect(await stage.partner.statusOf(OCM, secret, 'PUT', '/file.txt/deeper', { body: 'x' })).toBe(409);
  });

  it('accepts only the secret of its own share', async () => {
    const [one, other] = [
      await stage.shareFolder(),
      await stage.files.federatedShare({
        path: '/folder',
        owner: stage.alice,
        recipient: 'bob@other.example',
      }),
    ];
    const link = await stage.files.link({ path: '/folder', owner: stage.alice });
    for (const id of [other.id, '0', `0${one.id}`, `${one.id}.0`, 'x', '999999999999999999999'])
      expect(await stage.partner.rootStatus(OCM, { id, token: one.token })).toBe(401);
    expect(await stage.partner.rootStatus(OCM, link)).toBe(401);
    expect(await stage.partner.rootStatus('public.php with Bearer', link)).toBe(401);
    expect(await stage.partner.rootStatus(LEGACY, link)).toBe(207);
  });

  it.each(['/dav', '/dav/ocm', '/dav/ocm/', '/dav/ocm/1', '/remote.php/dav/ocm/1', '/public.php/webdav'])(
    '%s without credentials is answered with a challenge',
    async (path) => {
      const reply = await fetch(stage.files.url + path, { method: 'PROPFIND' });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await reply.text()).toContain(
        '<s:exception>Sabre\\DAV\\Exception\\NotAuthenticated</s:exception>',
      );
    },
  );
});

describe('the share of a member at a partner, from a share with a group,', () => {
  it.each([
    '{"scope":"permissions","key":"download","enabled":false}',
    '{"scope":"authentication","key":"second-factor","enabled":true}',
  ])('has a new condition of that share at once: %s', async (condition) => {
    const { files, alice, partner } = stage;
    const team = `team of ${alice}`;
    await files.addGroup(team);
    const withGroup = await files.share({ path: '/folder', owner: alice, recipient: team, group: true });
    const secret = await stage.shareFolder();
    await stage.sql('UPDATE share SET group_share_id = $2, recipient_canonical = NULL WHERE id = $1', [
      secret.id,
      withGroup,
    ]);
    expect(await partner.statusOf(LEGACY, secret, 'GET', '/file.txt')).toBe(200);
    await files.setAttributes(withGroup, `[${condition}]`);
    expect(await partner.statusOf(LEGACY, secret, 'GET', '/file.txt')).toBe(403);
  });
});

describe('the WebDAV client of npm', () => {
  it.each(['/public.php/webdav', '/dav/ocm'])('works at %s', async (base) => {
    const secret = await stage.shareFolder();
    const { createClient } = await import('webdav');
    const address = stage.files.url + (base === '/dav/ocm' ? `${base}/${secret.id}` : base);
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
