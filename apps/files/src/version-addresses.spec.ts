import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { countStatements } from '../../../libs/testing/src/rigs/statement-count';

let files: FilesApp;
let run = 0;
let alice: string;
let brian: string;
let id: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/docs');
  for (const body of ['1', '22', '333']) await files.dav('PUT', alice, '/docs/größe.txt', { body });
  id = (await files.property(alice, '/docs/größe.txt', 'oc:fileid'))!;
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);

const send = (
  method: string,
  uid: string,
  address: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> =>
  fetch(files.url + address, {
    method,
    headers: { authorization: files.authorizationOf(uid), ...headers },
    ...(body === undefined ? {} : { body }),
  });

const PROPERTIES = `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"><d:prop>
  <d:resourcetype/><d:getcontentlength/><d:getetag/><d:getlastmodified/><d:getcontenttype/><oc:meta-path-for-user/><oc:meta-version-edited-by/>
  <oc:meta-version-edited-by-name/><oc:meta-version-tag/><nc:version-label/><nc:version-author/></d:prop></d:propfind>`;

interface Listed {
  readonly href: string;
  readonly value: (name: string) => string | undefined;
}

async function listed(uid: string, address: string, depth = '1'): Promise<Listed[]> {
  const reply = await send('PROPFIND', uid, address, { depth }, PROPERTIES);
  expect(reply.status).toBe(207);
  return [...(await reply.text()).matchAll(/<d:response>(.*?)<\/d:response>/gs)].map(([, xml]) => ({
    href: /<d:href>(.*?)<\/d:href>/.exec(xml!)![1]!,
    value: (name) => new RegExp(`<(?:\\w+:)?${name}(?: [^>]*[^/])?>(.*?)</`).exec(xml!)?.[1],
  }));
}

const idOf = async (path: string): Promise<string> => (await files.property(alice, path, 'oc:fileid'))!;
const meta = (nodeId: number | string = id): string => `/remote.php/dav/meta/${nodeId}/v`;
const nextcloud = (uid = alice, nodeId = id): string => `/remote.php/dav/versions/${uid}/versions/${nodeId}`;
const versions = async (uid: string, address = meta()): Promise<Listed[]> =>
  (await listed(uid, address)).slice(1);
const lengths = async (uid: string, address = meta()): Promise<(string | undefined)[]> =>
  (await versions(uid, address)).map((version) => version.value('getcontentlength'));
const to = (path: string): Record<string, string> => ({ destination: files.addressOf(path) });

describe('versions at the addresses of ownCloud', () => {
  it('are listed, the newest first, with size, type, time and author', async () => {
    const [collection, second, first] = await listed(alice, meta());
    expect(collection!.href).toBe(`${meta()}/`);
    expect(second!.href).toMatch(new RegExp(`^${meta()}/\\d+$`));
    expect([second!.value('getcontentlength'), first!.value('getcontentlength')]).toEqual(['2', '1']);
    expect(first!.value('getcontenttype')).toBe('text/plain');
    expect(first!.value('getetag')).toMatch(/^&quot;\w+&quot;$/);
    expect(first!.value('meta-version-edited-by')).toBe(alice);
    expect(first!.value('meta-version-edited-by-name')).toBe(alice);
  });

  it('need the same number of statements for many as for few', async () => {
    const list = (): Promise<unknown> => listed(alice, `/remote.php/dav/meta/${id}/v`);
    await list();
    const few = await countStatements(files.appDatabase, list);
    await query(
      `INSERT INTO file_version (node_id, size, mtime, etag, blob_key, stored_at, author_kind, author)
       SELECT $1::bigint, 1, now(), 'e' || i, 'key-' || $1::bigint || '-' || i, now(), 'user', $2 FROM generate_series(1, 40) AS i`,
      id,
      alice,
    );
    expect(await listed(alice, `/remote.php/dav/meta/${id}/v`)).toHaveLength(43);
    expect([few, await countStatements(files.appDatabase, list)]).toEqual([few, few]);
    expect(few).toBeLessThan(8);
  });

  it('show the place of the file in the tree of the caller', async () => {
    await files.share({ path: '/docs/größe.txt', owner: alice, recipient: brian, target: '/given.txt' });
    const [file, collection] = await listed(brian, `/remote.php/dav/meta/${id}`);
    expect(file!.value('meta-path-for-user')).toBe('/given.txt');
    expect([file!.href, collection!.href]).toEqual([`/remote.php/dav/meta/${id}/`, `${meta()}/`]);
    expect((await listed(alice, `/remote.php/dav/meta/${id}`, '0'))[0]!.value('meta-path-for-user')).toBe(
      '/docs/größe.txt',
    );
  });

  it('are found by the id from the answer to the upload', async () => {
    const { headers } = await files.dav('PUT', alice, '/docs/größe.txt', { body: '4444' });
    const fileId = headers.get('oc-fileid')!;
    expect(fileId).toMatch(/^0*[1-9]\d*oc\w+$/);
    expect((await listed(alice, meta(fileId)))[0]!.href).toBe(`${meta(fileId)}/`);
    expect(await lengths(alice, meta(fileId))).toEqual(await lengths(alice));
    expect(await status(send('PROPFIND', brian, meta(fileId), { depth: '1' }))).toBe(404);
  });

  it('show the folder of the file as a slash if it is the root', async () => {
    const root = await idOf('/');
    expect((await listed(alice, `/remote.php/dav/meta/${root}`, '0'))[0]!.value('meta-path-for-user')).toBe(
      '/',
    );
  });

  it('are downloaded, in parts too, as attachments with the name of the file', async () => {
    const [second] = await versions(alice);
    const whole = await send('GET', alice, second!.href);
    expect([whole.status, await whole.text()]).toEqual([200, '22']);
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''gr%C3%B6%C3%9Fe.txt");
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const part = await send('GET', alice, second!.href, { range: 'bytes=1-1' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 1-1/2',
      '2',
    ]);
    const head = await send('HEAD', alice, second!.href);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '2']);
    expect(await status(send('GET', alice, meta()))).toBe(405);
  });

  it('are restored by COPY to the file: its content becomes a version, and its place, id and shares stay', async () => {
    await files.share({ path: '/docs', owner: alice, recipient: brian });
    const before = await files.property(alice, '/', 'd:getetag');
    const first = (await versions(alice)).at(-1)!;
    const reply = await send('COPY', alice, first.href, to('/docs/größe.txt'));
    expect([reply.status, reply.headers.get('etag')]).toEqual([204, expect.stringMatching(/^"\w+"$/)]);
    expect(reply.headers.get('oc-fileid')).toContain(id);
    expect(await text(brian, '/docs/größe.txt')).toBe('1');
    expect(await lengths(alice)).toEqual(['3', '2', '1']);
    expect(await files.property(alice, '/', 'd:getetag')).not.toBe(before);
    expect(await files.property(alice, '/docs', 'oc:size')).toBe('1');
  });

  it('are restored to their own file alone, to an address of the caller', async () => {
    await files.dav('PUT', alice, '/other.txt', { body: 'other' });
    const [second] = await versions(alice);
    expect(await status(send('COPY', alice, second!.href, to('/other.txt')))).toBe(403);
    expect(await status(send('COPY', alice, second!.href, to('/missing.txt')))).toBe(404);
    expect(await status(send('COPY', alice, second!.href))).toBe(400);
    const foreign = { destination: `${files.url}/remote.php/dav/files/${brian}/docs/gr%C3%B6%C3%9Fe.txt` };
    expect(await status(send('COPY', alice, second!.href, foreign))).toBe(404);
    expect([await text(alice, '/docs/größe.txt'), await text(alice, '/other.txt')]).toEqual(['333', 'other']);
  });

  it('are not restored while another person has locked the file', async () => {
    await files.share({ path: '/docs', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    const body =
      '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';
    const locked = await files.dav('LOCK', brian, '/docs/größe.txt', { body });
    expect(locked.status).toBe(200);
    const [second] = await versions(alice);
    expect(await status(send('COPY', alice, second!.href, to('/docs/größe.txt')))).toBe(423);
    const held = { ...to('/docs/größe.txt'), if: `(${locked.headers.get('lock-token')})` };
    expect(await status(send('COPY', brian, second!.href, held))).toBe(204);
    expect(await text(alice, '/docs/größe.txt')).toBe('22');
  });

  it('are not restored if the owner has no space for the growth', async () => {
    await files.dav('PUT', alice, '/docs/größe.txt', { body: 'x'.repeat(50) });
    await files.dav('PUT', alice, '/docs/größe.txt', { body: 'x' });
    await query('UPDATE user_account SET quota_bytes = 40 WHERE uid = $1', alice);
    const [large] = await versions(alice);
    const stored = files.storedFiles().length;
    expect(await status(send('COPY', alice, large!.href, to('/docs/größe.txt')))).toBe(507);
    expect(files.storedFiles().length).toBe(stored);
  });

  it('do not exist for folders, for new files, and for files at a partner', async () => {
    expect(await lengths(alice, meta(await idOf('/docs')))).toEqual([]);
    await files.dav('PUT', alice, '/new.txt', { body: 'new' });
    expect(await lengths(alice, meta(await idOf('/new.txt')))).toEqual([]);
    await files.receive({ providerId: `p${run}`, recipient: alice, target: '/far' });
    expect(await lengths(alice, meta(await idOf('/far')))).toEqual([]);
  });

  it('refuses invalid ids, and Depth infinity', async () => {
    for (const address of [
      '/remote.php/dav/meta/0/v',
      '/remote.php/dav/meta/x/v',
      `/remote.php/dav/meta/${id}/w`,
      meta('999999999'),
    ])
      expect(await status(send('PROPFIND', alice, address, { depth: '1' }))).toBe(404);
    expect(await status(send('PROPFIND', alice, '/remote.php/dav/meta'))).toBe(405);
    expect(await status(send('PROPFIND', alice, meta(), { depth: 'infinity' }))).toBe(403);
    expect(await status(send('GET', alice, `${meta()}/999999999`))).toBe(404);
  });
});

describe('versions at the addresses of Nextcloud', () => {
  it('are listed, and restored by MOVE', async () => {
    const [, first] = await versions(alice, nextcloud());
    expect(first!.value('getcontentlength')).toBe('1');
    expect(first!.value('version-author')).toBe(alice);
    const target = { destination: `${files.url}/remote.php/dav/versions/${alice}/restore/target` };
    expect(await status(send('MOVE', alice, first!.href, target))).toBe(201);
    expect(await text(alice, '/docs/größe.txt')).toBe('1');
    expect(await lengths(alice, nextcloud())).toEqual(['3', '2', '1']);
    expect(await status(send('MOVE', alice, first!.href, to('/elsewhere.txt')))).toBe(403);
    const foreign = { destination: `${files.url}/remote.php/dav/versions/${brian}/restore/target` };
    expect(await status(send('MOVE', alice, first!.href, foreign))).toBe(403);
  });

  it('get a name by PROPPATCH, which protects them from thinning, and lose it again', async () => {
    const [second] = await versions(alice, nextcloud());
    const patch = (property: string): Promise<Response> =>
      send(
        'PROPPATCH',
        alice,
        second!.href,
        {},
        `<d:propertyupdate xmlns:d="DAV:" xmlns:nc="http://nextcloud.org/ns"><d:set><d:prop>${property}</d:prop></d:set></d:propertyupdate>`,
      );
    expect(await (await patch('<nc:version-label>before &amp; after</nc:version-label>')).text()).toContain(
      '200 OK',
    );
    const label = async () => (await versions(alice, nextcloud()))[0]!.value('version-label');
    expect(await label()).toBe('before &amp; after');
    expect(await (await patch(`<nc:version-label>${'x'.repeat(251)}</nc:version-label>`)).text()).toContain(
      '403',
    );
    expect(await (await patch('<nc:other>x</nc:other>')).text()).toContain('403');
    expect(await label()).toBe('before &amp; after');
    await patch('<nc:version-label/>');
    expect(
      (await query<{ label: null }>('SELECT label FROM file_version WHERE node_id = $1', id)).map(
        (row) => row.label,
      ),
    ).toEqual([null, null]);
  });

  it('are permanently removed only by the owner', async () => {
    await files.share({ path: '/docs', owner: alice, recipient: brian });
    const stored = files.storedFiles().length;
    const [second] = await versions(brian, nextcloud(brian));
    expect(await status(send('DELETE', brian, second!.href))).toBe(403);
    const [own] = await versions(alice, nextcloud());
    expect(await status(send('DELETE', alice, own!.href))).toBe(204);
    expect(await status(send('DELETE', alice, own!.href))).toBe(404);
    expect(await lengths(alice)).toEqual(['1']);
    expect(files.storedFiles().length).toBe(stored - 1);
  });

  it('are not found in the trees of other users', async () => {
    await files.share({ path: '/docs', owner: alice, recipient: brian });
    expect(await status(send('PROPFIND', brian, nextcloud(alice), { depth: '1' }))).toBe(404);
    expect(await status(send('PROPFIND', alice, `/remote.php/dav/versions/${alice}/versions`))).toBe(404);
    expect(await status(send('PROPFIND', alice, '/remote.php/dav/versions'))).toBe(405);
  });
});

describe('versions of shared files', () => {
  it('are 404 for users who do not see the file', async () => {
    const [second] = await versions(alice);
    for (const [method, address] of [
      ['PROPFIND', meta()],
      ['GET', second!.href],
      ['COPY', second!.href],
    ] as const)
      expect(await status(send(method, brian, address, to('/docs/größe.txt')))).toBe(404);
    const unknown = await (await send('PROPFIND', brian, meta('999999999'))).text();
    expect(await (await send('PROPFIND', brian, meta())).text()).toBe(unknown);
  });

  it('are read by recipients, and restored and named by recipients who may change the file', async () => {
    const share = await files.share({ path: '/docs', owner: alice, recipient: brian, permissions: 1 });
    const [second] = await versions(brian);
    expect(await (await send('GET', brian, second!.href)).text()).toBe('22');
    expect(await status(send('COPY', brian, second!.href, to('/docs/größe.txt')))).toBe(403);
    await query('UPDATE share SET permissions = 3 WHERE id = $1', share);
    expect(await status(send('COPY', brian, second!.href, to('/docs/größe.txt')))).toBe(204);
    expect(await text(alice, '/docs/größe.txt')).toBe('22');
    await files.dav('PUT', alice, '/docs/größe.txt', { body: 'last' });
    expect((await versions(alice))[0]!.value('meta-version-edited-by')).toBe(brian);
  });

  it('are listed but neither read nor restored through a view-only share', async () => {
    const share = await files.share({ path: '/docs', owner: alice, recipient: brian, permissions: 31 });
    await files.setAttributes(
      share,
      JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]),
    );
    const [second] = await versions(brian);
    for (const method of ['GET', 'HEAD', 'COPY'])
      expect(await status(send(method, brian, second!.href, to('/docs/größe.txt')))).toBe(403);
    expect(await text(alice, '/docs/größe.txt')).toBe('333');
  });

  it.each([
    ['view-only', { scope: 'permissions', key: 'download', enabled: false }],
    ['with a demand', { scope: 'authentication', key: 'second-factor', enabled: true }],
  ])(
    'are read and restored if the file is received %s, and in a folder without that',
    async (_, condition) => {
      await files.share({ path: '/docs', owner: alice, recipient: brian, permissions: 15 });
      const share = await files.share({
        path: '/docs/größe.txt',
        owner: alice,
        recipient: brian,
        permissions: 1,
      });
      await files.setAttributes(share, JSON.stringify([condition]));
      const [second] = await versions(brian);
      expect(await (await send('GET', brian, second!.href)).text()).toBe('22');
      const [, toRestore] = await versions(brian, nextcloud(brian));
      const target = { destination: `${files.url}/remote.php/dav/versions/${brian}/restore/target` };
      expect(await status(send('MOVE', brian, toRestore!.href, target))).toBe(201);
      expect(await text(brian, '/docs/größe.txt')).toBe('1');
    },
  );

  it('name visitors of links and partners as authors', async () => {
    const { token } = await files.link({ path: '/docs', owner: alice, permissions: 15 });
    const put = (address: string, headers: Record<string, string>, body: string): Promise<number> =>
      status(fetch(files.url + address, { method: 'PUT', headers, body }));
    const name = 'gr%C3%B6%C3%9Fe.txt';
    expect(await put(`/remote.php/dav/public-files/${token}/${name}`, {}, 'of a visitor')).toBe(204);
    const given = await files.federatedShare({ path: '/docs', owner: alice });
    const secret = { authorization: basicAuth(given.token, '') };
    expect(await put(`/public.php/webdav/${name}`, secret, 'of a partner')).toBe(204);
    await files.dav('PUT', alice, '/docs/größe.txt', { body: 'mine' });
    const [partners, visitors] = await versions(alice);
    expect([partners!.value('meta-version-edited-by'), visitors!.value('meta-version-edited-by')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(partners!.value('meta-version-edited-by-name')).toBe('cloud.partner.example');
    expect(visitors!.value('meta-version-edited-by-name')).toBeUndefined();
    expect(await (await send('GET', alice, visitors!.href)).text()).toBe('of a visitor');
    const kinds = await query<{ kind: string }>(
      'SELECT author_kind AS kind FROM file_version WHERE node_id = $1 ORDER BY id',
      id,
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['user', 'user', 'user', 'visitor', 'partner']);
    // Neither of them has access to versions.
    expect(await status(fetch(`${files.url}${meta()}`, { headers: secret }))).toBe(401);
  });
});
