import { CachedPolicy, RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
let run = 0;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/file.txt', { body: 'of alice' });
});

type Endpoint = 'old' | 'new';
const BOTH: readonly Endpoint[] = ['old', 'new'];

interface Options {
  readonly password?: string;
  readonly body?: string;
  readonly to?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request with the token. */
function ask(
  endpoint: Endpoint,
  token: string,
  method: string,
  path: string,
  options: Options = {},
): Promise<Response> {
  const base =
    endpoint === 'old'
      ? `${files.url}/public.php/webdav`
      : `${files.url}/remote.php/dav/public-files/${token}`;
  const credentials =
    endpoint === 'old' ? [token, options.password ?? ''] : ['public', options.password ?? ''];
  const authorization: Record<string, string> =
    endpoint === 'old' || options.password !== undefined
      ? { authorization: basicAuth(credentials[0]!, credentials[1]!) }
      : {};
  const destination: Record<string, string> =
    options.to === undefined ? {} : { destination: base + encodeURI(options.to) };
  const headers = { ...authorization, ...destination, ...options.headers };
  return fetch(base + encodeURI(path), { method, headers, body: options.body });
}

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const ownText = async (path: string): Promise<string> => (await files.dav('GET', alice, path)).text();
const set = (app: string, key: string, value: string): Promise<void> =>
  files.get(RuntimeSettings).set(app, key, value);

async function properties(
  endpoint: Endpoint,
  token: string,
  path: string,
  ...names: string[]
): Promise<string> {
  const wanted = names.map((name) => `<${name}/>`).join('');
  const body =
    `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:ocs="http://open-collaboration-services.org/ns">` +
    `<d:prop>${wanted}</d:prop></d:propfind>`;
  return (await ask(endpoint, token, 'PROPFIND', path, { body, headers: { depth: '0' } })).text();
}

async function listed(endpoint: Endpoint, token: string, path = '/'): Promise<string[]> {
  const reply = await ask(endpoint, token, 'PROPFIND', path, { headers: { depth: '1' } });
  const base = endpoint === 'old' ? '/public.php/webdav' : `/remote.php/dav/public-files/${token}`;
  return [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice(base.length)),
  );
}

describe.each(BOTH)('a link to a folder, at the %s endpoint', (endpoint) => {
  it.each([
    // Columns: permissions, read, list, make, overwrite, rename, delete
    [1, 200, 2, 403, 403, 403, 403],
    [3, 200, 2, 403, 204, 201, 403],
    [5, 200, 2, 201, 403, 403, 403],
    [7, 200, 2, 201, 204, 201, 403],
    [15, 200, 2, 201, 204, 201, 204],
  ])(
    'with permissions %i allows exactly these',
    async (permissions, read, entries, make, overwrite, rename, remove) => {
      const { token } = await files.link({ path: '/folder', owner: alice, permissions });
      expect(await status(ask(endpoint, token, 'GET', '/file.txt'))).toBe(read);
      expect(await listed(endpoint, token)).toHaveLength(entries);
      expect(await status(ask(endpoint, token, 'PUT', '/new.txt', { body: 'x' }))).toBe(make);
      expect(await status(ask(endpoint, token, 'MKCOL', '/sub'))).toBe(make);
      expect(await status(ask(endpoint, token, 'PUT', '/file.txt', { body: 'changed' }))).toBe(overwrite);
      expect(await status(ask(endpoint, token, 'MOVE', '/file.txt', { to: '/renamed.txt' }))).toBe(rename);
      const left = rename === 201 ? '/renamed.txt' : '/file.txt';
      expect(await status(ask(endpoint, token, 'DELETE', left))).toBe(remove);
      expect(await status(ask(endpoint, token, 'DELETE', '/'))).toBe(403);
      expect(await status(ask(endpoint, token, 'MOVE', '/', { to: '/elsewhere' }))).toBe(403);
    },
  );

  it('does not lead to files outside of it', async () => {
    await files.dav('PUT', alice, '/secret.txt', { body: 'secret' });
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    expect(await status(ask(endpoint, token, 'GET', '/../secret.txt'))).not.toBe(200);
    const headers = { destination: `${files.url}/remote.php/webdav/stolen.txt` };
    expect(await status(ask(endpoint, token, 'COPY', '/file.txt', { headers }))).toBe(404);
    const other = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const into = `${files.url}/remote.php/dav/public-files/${other.token}/x`;
    expect(await status(ask(endpoint, token, 'COPY', '/file.txt', { headers: { destination: into } }))).toBe(
      404,
    );
  });

  it('is a file drop with permission 4: accepts files, and shows none', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    expect(await listed(endpoint, token)).toEqual(['/']);
    expect(await status(ask(endpoint, token, 'GET', '/file.txt'))).toBe(404);
    expect(await status(ask(endpoint, token, 'PROPFIND', '/file.txt'))).toBe(404);
    expect(await status(ask(endpoint, token, 'COPY', '/file.txt', { to: '/copy.txt' }))).toBe(404);
    const drop = (body: string) => status(ask(endpoint, token, 'PUT', '/file.txt', { body }));
    expect([await drop('second'), await drop('third')]).toEqual([201, 201]);
    expect(await ownText('/folder/file.txt')).toBe('of alice');
    expect(await ownText('/folder/file (2).txt')).toBe('second');
    expect(await ownText('/folder/file (3).txt')).toBe('third');
  });

  it.each(['/file.txt', '/none.txt', '/none/deep.txt', '/'])(
    'a link that only accepts uploads does not reveal the existence of %s',
    async (path) => {
      const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
      expect(await status(ask(endpoint, token, 'MKCOL', path))).toBe(201);
      for (const [method, to] of [['DELETE'], ['MOVE', '/other.txt'], ['MOVE', '/file.txt']] as const) {
        const reply = await ask(endpoint, token, method, path, { to });
        expect([method, reply.status]).toEqual([method, 403]);
        expect(await reply.text()).toContain('Files can be uploaded here, and nothing else');
      }
      expect(await ownText('/folder/file.txt')).toBe('of alice');
    },
  );

  it('creates the folders of an upload only for visitors who may only upload', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    const drop = (path: string) => status(ask(endpoint, token, 'PUT', path, { body: path }));
    expect([await drop('/a/b/c.txt'), await drop('/a/b/c.txt'), await drop('/a/d.txt')]).toEqual([
      201, 201, 201,
    ]);
    expect(await ownText('/folder/a/b/c (2).txt')).toBe('/a/b/c.txt');
    expect(await files.property(alice, '/folder/a', 'oc:size')).toBe('28');
    expect(await drop('/.htaccess/x.txt')).toBe(403);
    expect(await drop(`${'/a'.repeat(40)}/x.txt`)).toBe(409);
    expect(await status(files.dav('PROPFIND', alice, '/folder/a/a'))).toBe(404);
    const other = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    expect(await status(ask(endpoint, other.token, 'PUT', '/none/x.txt', { body: 'x' }))).toBe(409);
  });

  it('does not reveal the existence of a file to visitors who may only upload, by a folder or a refused name', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    for (const name of ['/file.txt', '/none.txt']) {
      for (const path of [`${name}/x.txt`, `${name}/deep/x.txt`])
        expect([path, await status(ask(endpoint, token, 'PUT', path, { body: path }))]).toEqual([path, 201]);
      expect(await status(ask(endpoint, token, 'COPY', name, { to: '/.htaccess' }))).toBe(404);
    }
    expect(await ownText('/folder/file.txt')).toBe('of alice');
    expect(await ownText('/folder/file.txt (2)/x.txt')).toBe('/file.txt/x.txt');
    expect(await ownText('/folder/file.txt (3)/deep/x.txt')).toBe('/file.txt/deep/x.txt');
  });

  it('counts uploads to the owner', async () => {
    await files.database.dataSource.query('UPDATE user_account SET quota_bytes = 20 WHERE uid = $1', [alice]);
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    expect(await status(ask(endpoint, token, 'PUT', '/big.txt', { body: 'x'.repeat(13) }))).toBe(507);
    expect(await status(ask(endpoint, token, 'PUT', '/fits.txt', { body: 'x'.repeat(12) }))).toBe(201);
    expect(await status(ask(endpoint, token, 'COPY', '/fits.txt', { to: '/twice.txt' }))).toBe(507);
  });

  it('changes the etags of its owner up the tree', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const before = await files.property(alice, '/', 'd:getetag');
    await ask(endpoint, token, 'PUT', '/new.txt', { body: 'x' });
    expect(await files.property(alice, '/', 'd:getetag')).not.toBe(before);
  });

  it('has the properties of a shared folder, and hides its creator', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const xml = await properties(
      endpoint,
      token,
      '/',
      'oc:permissions',
      'ocs:share-permissions',
      'oc:share-types',
    );
    expect(xml).toContain('<oc:permissions>DNVCK</oc:permissions>');
    expect(xml).toContain('share-permissions xmlns:x1="http://open-collaboration-services.org/ns">15<');
    expect(xml).not.toContain('share-type>');
    expect(await properties(endpoint, token, '/file.txt', 'oc:permissions')).toContain('>DNVW<');
  });

  it('asks for its password, and accepts no earlier one', async () => {
    const { id, token } = await files.link({ path: '/folder', owner: alice, password: 'pass-1' });
    const get = (password?: string) => ask(endpoint, token, 'GET', '/file.txt', { password });
    const missing = await get();
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(await status(get('wrong'))).toBe(401);
    expect(await (await get('pass-1')).text()).toBe('of alice');
    expect(await status(get('pass-1'))).toBe(200);
    await files.database.dataSource.query(
      'UPDATE share SET password_hash = (SELECT password_hash FROM user_account WHERE uid = $2) WHERE id = $1',
      [id, alice],
    );
    expect(await status(get('pass-1'))).toBe(401);
  });
});

describe('a link that ends', () => {
  const ends: [string, (link: { id: number }) => Promise<unknown>, number][] = [
    ['is deleted', ({ id }) => files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]), 401],
    [
      'expires',
      ({ id }) =>
        files.database.dataSource.query('UPDATE share SET expires_on = current_date - 1 WHERE id = $1', [id]),
      401,
    ],
    ['loses its folder', () => files.dav('DELETE', alice, '/folder'), 404],
    [
      'has a disabled initiator',
      () =>
        files.database.dataSource.query('UPDATE user_account SET enabled = false WHERE uid = $1', [alice]),
      404,
    ],
  ];

  it.each(ends)('gives no access immediately after it %s', async (_why, end, oldStatus) => {
    const link = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    for (const endpoint of BOTH)
      expect(await status(ask(endpoint, link.token, 'GET', '/file.txt'))).toBe(200);
    await end(link);
    expect(await status(ask('old', link.token, 'GET', '/file.txt'))).toBe(oldStatus);
    expect(await status(ask('new', link.token, 'GET', '/file.txt'))).toBe(404);
    expect(await status(ask('new', link.token, 'PUT', '/new.txt', { body: 'x' }))).toBe(404);
    expect(await status(fetch(`${files.url}/s/${link.token}`))).toBe(404);
  });

  it('is answered like an unknown one: 401 at the old endpoint, 404 at the new one', async () => {
    expect(await status(ask('old', 'thisWillNeverExist', 'PROPFIND', '/'))).toBe(401);
    expect(await status(ask('new', 'thisWillNeverExist', 'PROPFIND', '/'))).toBe(404);
    expect(await status(fetch(`${files.url}/public.php/webdav/`, { method: 'PROPFIND' }))).toBe(401);
    const all = await fetch(`${files.url}/remote.php/dav/public-files/`, { method: 'PROPFIND' });
    expect(all.status).toBe(405);
  });
});

describe('a link under the settings of the instance', () => {
  afterEach(async () => {
    for (const [app, key] of [
      ['core', 'shareapi_allow_public_upload'],
      ['core', 'shareapi_allow_links'],
      ['core', 'shareapi_exclude_groups'],
      ['files_sharing', 'outgoing_server2server_share_enabled'],
    ] as const)
      await files.get(RuntimeSettings).unset(app, key);
    files.get(CachedPolicy).changed('setting');
  });

  it('writes nothing while public upload is off', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const drop = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    await set('core', 'shareapi_allow_public_upload', 'no');
    for (const endpoint of BOTH) {
      expect(await status(ask(endpoint, token, 'GET', '/file.txt'))).toBe(200);
      expect(await status(ask(endpoint, token, 'PUT', '/new.txt', { body: 'x' }))).toBe(403);
      expect(await status(ask(endpoint, token, 'DELETE', '/file.txt'))).toBe(403);
      expect(await status(ask(endpoint, drop.token, 'PUT', '/new.txt', { body: 'x' }))).toBe(403);
    }
  });

  it('does not work while links are switched off, or if its creator may not share', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice });
    await set('core', 'shareapi_allow_links', 'no');
    expect(await status(ask('old', token, 'GET', '/file.txt'))).toBe(401);
    expect(await status(ask('new', token, 'GET', '/file.txt'))).toBe(404);
    await set('core', 'shareapi_allow_links', 'yes');
    await files.addGroup(`barred${run}`, alice);
    await set('core', 'shareapi_exclude_groups', 'yes');
    await set('core', 'shareapi_exclude_groups_list', JSON.stringify([`barred${run}`]));
    expect(await status(ask('old', token, 'GET', '/file.txt'))).toBe(404);
    expect(await status(ask('new', token, 'GET', '/file.txt'))).toBe(404);
  });

  it('asks scripts for its password with the expected text', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, password: 'gate-keeper-1' });
    const headers = { 'x-requested-with': 'XMLHttpRequest' };
    for (const password of ['', 'wrong']) {
      const reply = await ask('old', token, 'GET', '/file.txt', { headers, password });
      expect(reply.status).toBe(401);
      expect(await reply.text()).toContain('<s:message>Cannot authenticate over ajax calls</s:message>');
    }
  });

  it('cannot be mounted by other servers while outgoing shares are switched off', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice });
    await set('files_sharing', 'outgoing_server2server_share_enabled', 'no');
    const headers = { 'x-requested-with': 'XMLHttpRequest' };
    expect(await status(ask('old', token, 'GET', '/file.txt'))).toBe(401);
    expect(await status(ask('old', token, 'GET', '/file.txt', { headers }))).toBe(200);
    expect(await status(ask('new', token, 'GET', '/file.txt'))).toBe(200);
  });
});

describe('a link to a file', () => {
  it('is the root of the old endpoint', async () => {
    const { token } = await files.link({ path: '/folder/file.txt', owner: alice });
    expect(await (await ask('old', token, 'GET', '')).text()).toBe('of alice');
    expect(await (await ask('old', token, 'GET', '/file.txt')).text()).toBe('of alice');
    expect(await listed('old', token)).toEqual(['/']);
    expect(await status(ask('old', token, 'PUT', '', { body: 'x' }))).toBe(403);
    expect(await status(ask('old', token, 'GET', '/other.txt'))).toBe(404);
  });

  it('is the only entry of the new one, with the data of the link', async () => {
    const expiresOn = '2099-12-31';
    const { token } = await files.link({ path: '/folder/file.txt', owner: alice, permissions: 3, expiresOn });
    expect(await listed('new', token)).toEqual(['/', '/file.txt']);
    expect(await status(ask('new', token, 'GET', '/'))).toBe(405);
    const head = await ask('new', token, 'HEAD', '/file.txt');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '8']);
    const names = ['item-type', 'permission', 'expiration', 'share-datetime', 'share-owner'];
    const xml = await properties('new', token, '/', ...names.map((name) => `oc:public-link-${name}`));
    expect(xml).toContain('<oc:public-link-item-type>file</oc:public-link-item-type>');
    expect(xml).toContain('<oc:public-link-permission>3</oc:public-link-permission>');
    expect(xml).toContain(
      '<oc:public-link-expiration>Thu, 31 Dec 2099 00:00:00 GMT</oc:public-link-expiration>',
    );
    expect(xml).toMatch(/<oc:public-link-share-datetime>\w{3}, .* GMT</);
    expect(xml).toContain(`<oc:public-link-share-owner>${alice}</oc:public-link-share-owner>`);
    expect(await properties('new', token, '/file.txt', 'oc:public-link-permission')).toContain(' 404 ');
    expect(await properties('old', token, '', 'oc:public-link-permission')).toContain(' 404 ');
  });

  it('with permission 3 can be overwritten, but not renamed or removed', async () => {
    const { token } = await files.link({ path: '/folder/file.txt', owner: alice, permissions: 3 });
    expect(await status(ask('new', token, 'PUT', '/file.txt', { body: 'once' }))).toBe(204);
    expect(await status(ask('old', token, 'PUT', '', { body: 'changed' }))).toBe(204);
    for (const [endpoint, path] of [
      ['new', '/file.txt'],
      ['old', ''],
    ] as const) {
      expect(await status(ask(endpoint, token, 'DELETE', path))).toBe(403);
      expect(await status(ask(endpoint, token, 'MOVE', path, { to: '/other.txt' }))).toBe(403);
    }
    expect(await ownText('/folder/file.txt')).toBe('changed');
  });
});

describe('guessing the password of a link', () => {
  it('is refused after some attempts, but clients that signed in before are not affected', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, password: 'pass-1' });
    const other = await files.link({ path: '/folder', owner: alice, password: 'pass-2' });
    const get = (password: string) => ask('new', token, 'GET', '/file.txt', { password });
    expect(await status(get('pass-1'))).toBe(200);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt++) statuses.push(await status(get(`guess-${attempt}`)));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const refused = await get('another');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Servers read links at the old address, and take 503 for a pause.
    const ofServer = await ask('old', token, 'GET', '/file.txt', { password: 'another' });
    expect(ofServer.status).toBe(503);
    expect(Number(ofServer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await status(get('pass-1'))).toBe(200);
    expect(await status(ask('new', other.token, 'GET', '/file.txt', { password: 'pass-2' }))).toBe(200);
  });

  it('counts one attempt for a client that opens many connections at once', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, password: 'pass-1' });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => status(ask('old', token, 'GET', '/file.txt', { password: 'pass-1' }))),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('uploads through a link at the same time', () => {
  it('of one name into a file drop all get different names', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    const statuses = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        status(ask('new', token, 'PUT', '/same.txt', { body: `upload ${index}` })),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    const names = await files.database.dataSource.query<{ name: string }[]>(
      `SELECT name FROM node WHERE owner_uid = $1 AND name LIKE 'same%'`,
      [alice],
    );
    expect(names).toHaveLength(25);
  });

  it('leave nothing if the link ends before their last byte', async () => {
    const { id, token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const stored = files.storedFiles().length;
    let finish: (() => void) | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(1000));
        finish = () => controller.close();
      },
    });
    const url = `${files.url}/remote.php/dav/public-files/${token}/late.txt`;
    const upload = fetch(url, { method: 'PUT', body, duplex: 'half' });
    await eventually('the upload to begin', () => files.storedFiles().length > stored);
    await files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]);
    finish!();
    expect((await upload).status).toBe(404);
    expect(files.storedFiles()).toHaveLength(stored);
    expect(await status(files.dav('HEAD', alice, '/folder/late.txt'))).toBe(404);
  });
});
