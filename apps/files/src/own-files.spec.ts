import { DiskBlobStore, TrashBin } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

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

    const before = files.storedFiles().length;
    expect(await status(files.dav('DELETE', 'alice', '/notes'))).toBe(204);
    expect(await status(files.dav('PROPFIND', 'alice', '/notes/a.txt'))).toBe(404);
    expect(files.storedFiles().length).toBe(before);
    await files.get(TrashBin).empty('alice');
    // The file had a version.
    expect(files.storedFiles().length).toBe(before - 2);
  });

  it.each([
    'a & b',
    '?abc=oc #',
    '@a#8a=b?c=d',
    '50%25=0 +plus',
    'नेपाली फोल्डर',
    'España àôœ€',
    '😀 📁',
    "it's; (a) [b] {c}",
    '...dots.and spaces',
    '%2e%2e',
    '"quoted"',
    '<tag>',
    'trailing.',
    'é',
  ])('may be called %j', async (name) => {
    expect(await status(files.dav('MKCOL', 'alice', `/${name}`))).toBe(201);
    expect(await status(put(`/${name}/${name}`, name))).toBe(201);
    expect(await text(`/${name}/${name}`)).toBe(name);
    expect(await status(files.transfer('MOVE', 'alice', `/${name}/${name}`, `/${name}/moved ${name}`))).toBe(
      201,
    );
    const listing = await (
      await files.dav('PROPFIND', 'alice', `/${name}`, { headers: { depth: '1' } })
    ).text();
    const href = new URL(files.addressOf(`/${name}/moved ${name}`)).pathname;
    expect(listing.replaceAll('&amp;', '&')).toContain(
      decodeURIComponent(href) === href ? href : encodeURIComponent(`moved ${name}`),
    );
  });

  it('differ by case and Unicode form', async () => {
    await put('/case.txt', 'lower');
    await put('/CASE.txt', 'upper');
    expect([await text('/case.txt'), await text('/CASE.txt')]).toEqual(['lower', 'upper']);
  });

  it('have the same addresses under every name of the tree', async () => {
    await put('/alias.txt', 'here');
    const headers = { authorization: files.authorizationOf('alice') };
    for (const base of [
      '/remote.php/webdav',
      '/remote.php/files',
      '/remote.php/dav/files/alice',
      '/remote.php//dav/files/alice/',
    ]) {
      expect(await (await fetch(`${files.url}${base}/alias.txt`, { headers })).text()).toBe('here');
    }
    for (const path of ['/remote.php/dav/files/brian/alias.txt', '/remote.php/dav/else', '/remote.php']) {
      const reply = await fetch(files.url + path, { method: 'PROPFIND', headers });
      expect([path, reply.status, (await reply.text()).includes('Sabre\\DAV\\Exception\\NotFound')]).toEqual([
        path,
        404,
        true,
      ]);
    }
  });

  it.each(['0', '1', 'infinity'])(
    'are removed with `Depth: %s`, which only concerns folders',
    async (depth) => {
      await put('/flat.txt', 'content');
      expect(await status(files.dav('DELETE', 'alice', '/flat.txt', { headers: { depth } }))).toBe(204);
    },
  );

  it('copy a folder without its entries as an empty folder, which can be removed', async () => {
    await files.dav('MKCOL', 'alice', '/full');
    await put('/full/a.txt', 'content');
    const shallow = await files.transfer('COPY', 'alice', '/full', '/hollow', { depth: '0' });
    expect(shallow.status).toBe(201);
    const listing = await files.dav('PROPFIND', 'alice', '/hollow', {
      headers: { depth: '1' },
      body: '<propfind xmlns="DAV:"><prop><size xmlns="http://owncloud.org/ns"/></prop></propfind>',
    });
    expect((await listing.text()).match(/<oc:size>(\d+)</)?.[1]).toBe('0');
    expect(await status(files.dav('DELETE', 'alice', '/full'))).toBe(204);
    expect(await status(files.dav('DELETE', 'alice', '/hollow'))).toBe(204);
  });

  it('move and copy with all nodes below, in one step', async () => {
    await files.dav('MKCOL', 'alice', '/tree');
    await files.dav('MKCOL', 'alice', '/tree/inner');
    await put('/tree/inner/deep.txt', 'deep');
    expect(await status(files.transfer('COPY', 'alice', '/tree', '/twin'))).toBe(201);
    expect(await status(files.transfer('MOVE', 'alice', '/tree', '/moved'))).toBe(201);
    expect([await text('/moved/inner/deep.txt'), await text('/twin/inner/deep.txt')]).toEqual([
      'deep',
      'deep',
    ]);
    expect(await status(files.dav('PROPFIND', 'alice', '/tree/inner'))).toBe(404);
    await put('/twin/inner/deep.txt', 'other');
    expect(await text('/moved/inner/deep.txt')).toBe('deep');
    expect(await status(files.transfer('COPY', 'alice', '/moved', '/shallow', { depth: '0' }))).toBe(201);
    expect(await status(files.dav('PROPFIND', 'alice', '/shallow/inner'))).toBe(404);
  });

  it('are not copied with more entries below than one request may copy', async () => {
    await files.dav('MKCOL', 'alice', '/crowd');
    await files.database.dataSource.query(
      `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       SELECT n.storage_id, n.id, n.owner_uid, 'e' || at, n.path || '/e' || at, 'folder', 'httpd/unix-directory', now(), md5(at::text)
       FROM node n, generate_series(1, 20000) AS at WHERE n.owner_uid = 'alice' AND n.path = '/crowd'`,
    );
    const refused = await files.transfer('COPY', 'alice', '/crowd', '/crowds');
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('20000 entries')]);
    expect(await status(files.dav('PROPFIND', 'alice', '/crowds', { headers: { depth: '0' } }))).toBe(404);
    expect(await status(files.transfer('COPY', 'alice', '/crowd', '/hall', { depth: '0' }))).toBe(201);
    expect(await status(files.dav('DELETE', 'alice', '/crowd/e1'))).toBe(204);
    expect(await status(files.transfer('COPY', 'alice', '/crowd', '/crowds'))).toBe(201);
    for (const path of ['/crowd', '/crowds'])
      expect(await status(files.dav('DELETE', 'alice', path))).toBe(204);
  });

  it('are not stored a second time by a copy for which the quota has no room', async () => {
    await files.addUsers('small');
    for (const name of ['one', 'two', 'folder/three']) {
      if (name.includes('/')) await files.dav('MKCOL', 'small', '/folder');
      await files.dav('PUT', 'small', `/${name}`, { body: 'x'.repeat(30) });
    }
    await files.database.dataSource.query(`UPDATE user_account SET quota_bytes = 100 WHERE uid = 'small'`);
    const copied = jest.spyOn(DiskBlobStore.prototype, 'copy');
    const copy = (from: string, to: string, headers = {}): Promise<number> =>
      status(files.transfer('COPY', 'small', from, to, headers));
    expect([await copy('/one', '/new'), await copy('/folder', '/new')]).toEqual([507, 507]);
    expect(copied).not.toHaveBeenCalled();
    expect(await copy('/one', '/two', { overwrite: 'T' })).toBe(204);
    expect(await copy('/folder', '/new', { depth: '0' })).toBe(201);
    copied.mockRestore();
  });

  it('do not move if a path below would be too long', async () => {
    const [first, second] = ['f'.repeat(250), 's'.repeat(250)];
    let deep = '';
    for (let depth = 0; depth < 12; depth++) await files.dav('MKCOL', 'alice', (deep += `/${first}`));
    let target = '';
    for (let depth = 0; depth < 6; depth++) await files.dav('MKCOL', 'alice', (target += `/${second}`));
    expect(await status(files.transfer('MOVE', 'alice', `/${first}`, `${target}/moved`))).toBe(400);
    expect(await status(files.transfer('COPY', 'alice', `/${first}`, `${target}/copied`))).toBe(400);
    expect(await status(files.dav('PROPFIND', 'alice', deep))).toBe(207);
  });

  it('are overwritten by MOVE and COPY only on request', async () => {
    await put('/from.txt', 'from');
    await put('/to.txt', 'to');
    expect(await status(files.transfer('COPY', 'alice', '/from.txt', '/to.txt'))).toBe(412);
    expect(await status(files.transfer('COPY', 'alice', '/from.txt', '/to.txt', { overwrite: 'T' }))).toBe(
      204,
    );
    expect(await text('/to.txt')).toBe('from');
    expect(await status(files.transfer('MOVE', 'alice', '/from.txt', '/to.txt', { overwrite: 'T' }))).toBe(
      204,
    );
    expect(await status(files.dav('GET', 'alice', '/from.txt'))).toBe(404);
  });

  it.each([
    ['PUT', '/put.txt'],
    ['COPY', '/copied.txt'],
    ['MOVE', '/moved.txt'],
  ] as const)('answer %s with the headers that a client needs afterwards', async (method, to) => {
    await put('/described.txt', 'x');
    for (const again of [false, true]) {
      if (again) await put('/described.txt', 'y');
      const reply = await (method === 'PUT'
        ? put(to, 'x')
        : files.transfer(method, 'alice', '/described.txt', to, { overwrite: 'T' }));
      expect(reply.status).toBe(again ? 204 : 201);
      const etag = (await files.property('alice', to, 'd:getetag'))!.replaceAll('&quot;', '"');
      expect(reply.headers.get('etag')).toBe(etag);
      expect(reply.headers.get('oc-etag')).toBe(etag);
      expect(reply.headers.get('oc-fileid')).toBe(await files.property('alice', to, 'oc:id'));
      expect(reply.headers.get('oc-perm')).toBe(await files.property('alice', to, 'oc:permissions'));
    }
  });

  it('keep their id when they move, and the times that a client sends', async () => {
    const reply = await put('/old name.txt', 'x', { 'x-oc-mtime': '1000000000' });
    expect(reply.headers.get('x-oc-mtime')).toBe('accepted');
    const id = await files.property('alice', '/old name.txt', 'oc:id');
    expect(reply.headers.get('oc-fileid')).toBe(id);
    expect(id).toMatch(/^\d{8}oc[0-9a-f]{10}$/);
    await files.transfer('MOVE', 'alice', '/old name.txt', '/new name.txt');
    expect(await files.property('alice', '/new name.txt', 'oc:id')).toBe(id);
    expect(await files.property('alice', '/new name.txt', 'd:getlastmodified')).toBe(
      'Sun, 09 Sep 2001 01:46:40 GMT',
    );
  });
});
