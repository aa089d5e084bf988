import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { lockBody, LockClient } from '../../../libs/testing/src/rigs/lock-client';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let alice: LockClient;
let bob: LockClient;
let uids: { alice: string; bob: string };

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  uids = { alice: `alice${run}`, bob: `bob${run}` };
  await files.addUsers(uids.alice, uids.bob);
  [alice, bob] = [new LockClient(files, uids.alice), new LockClient(files, uids.bob)];
  await alice.status('MKCOL', '/docs');
  await alice.status('PUT', '/docs/file.txt', {}, 'first');
});

/** Sends a request with the secret of a link or federated share, below `public.php/webdav`. */
async function by(
  token: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> {
  return fetch(`${files.url}/public.php/webdav${path}`, {
    method,
    headers: { authorization: basicAuth(token, ''), ...headers },
    body,
  });
}
const statusBy = async (...request: Parameters<typeof by>): Promise<number> => (await by(...request)).status;
const tokenIn = (reply: Response): string => /^<(.+)>$/.exec(reply.headers.get('lock-token') ?? '')![1]!;

describe('a lock of an owner', () => {
  it.each(['link', 'federated'] as const)('applies to all users of a %s share', async (kind) => {
    const wanted = { path: '/docs', owner: uids.alice, permissions: 15 };
    const { token } = kind === 'link' ? await files.link(wanted) : await files.federatedShare(wanted);
    const lock = await alice.lock('/docs');
    expect(await statusBy(token, 'PUT', '/file.txt', {}, 'x')).toBe(423);
    expect(await statusBy(token, 'PUT', '/file.txt', { if: `(<${lock}>)` }, 'x')).toBe(423);
    expect(await statusBy(token, 'PUT', '/new.txt', {}, 'x')).toBe(423);
    expect(await statusBy(token, 'DELETE', '/file.txt')).toBe(423);
    expect(await statusBy(token, 'UNLOCK', '/', { 'lock-token': `<${lock}>` })).toBe(403);
    expect(await statusBy(token, 'GET', '/file.txt')).toBe(200);
    const asked = '<d:propfind xmlns:d="DAV:"><d:prop><d:lockdiscovery/></d:prop></d:propfind>';
    const shown = await (await by(token, 'PROPFIND', '/file.txt', { depth: '0' }, asked)).text();
    expect(shown).toContain('<d:lockroot><d:href>/public.php/webdav/</d:href></d:lockroot>');
    expect(shown).not.toMatch(/locktoken|owner|alice/);
  });

  it('applies to an upload-only link', async () => {
    const { token } = await files.link({ path: '/docs', owner: uids.alice, permissions: 4 });
    await alice.lock('/docs');
    expect(await statusBy(token, 'PUT', '/new.txt', {}, 'x')).toBe(423);
    expect(await statusBy(token, 'LOCK', '/new.txt', {}, lockBody())).toBe(403);
  });

  it('applies to uploads in chunks, which may use its token', async () => {
    const token = await alice.lock('/docs/file.txt');
    const upload = `${files.url}/remote.php/dav/uploads/${uids.alice}/one`;
    const headers = { authorization: files.authorizationOf(uids.alice) };
    const destination = `${files.url}/remote.php/dav/files/${uids.alice}/docs/file.txt`;
    await fetch(upload, { method: 'MKCOL', headers });
    await fetch(`${upload}/1`, { method: 'PUT', headers, body: 'in chunks' });
    const move = async (more: Record<string, string>): Promise<number> =>
      (await fetch(`${upload}/.file`, { method: 'MOVE', headers: { ...headers, destination, ...more } }))
        .status;
    expect(await move({})).toBe(423);
    expect(await move({ if: `<${destination}> (<${token}>)` })).toBe(204);
    expect(await alice.text('/docs/file.txt')).toBe('in chunks');
  });

  it('applies to the beginning of uploads in chunks for a known place', async () => {
    const token = await alice.lock('/docs/file.txt');
    const upload = `${files.url}/remote.php/dav/uploads/${uids.alice}/known`;
    const destination = `${files.url}/remote.php/dav/files/${uids.alice}/docs/file.txt`;
    const send = async (method: string, below: string, more: Record<string, string> = {}) => {
      const headers = { authorization: files.authorizationOf(uids.alice), destination, ...more };
      const body = method === 'PUT' ? 'known place' : undefined;
      return (await fetch(upload + below, { method, headers, body })).status;
    };
    const withToken = { if: `<${destination}> (<${token}>)` };
    expect(await send('MKCOL', '')).toBe(423);
    expect(await send('MKCOL', '', withToken)).toBe(201);
    expect(await send('PUT', '/1')).toBe(201);
    expect(await send('MOVE', '/.file')).toBe(423);
    expect(await send('MOVE', '/.file', withToken)).toBe(204);
    expect(await alice.text('/docs/file.txt')).toBe('known place');
  });

  it('applies to uploads by TUS', async () => {
    const token = await alice.lock('/docs/file.txt');
    const create = async (more: Record<string, string>): Promise<number> =>
      alice.status('POST', '/docs', {
        'tus-resumable': '1.0.0',
        'upload-length': '0',
        'upload-metadata': `filename ${Buffer.from('file.txt').toString('base64')}`,
        ...more,
      });
    expect(await create({})).toBe(423);
    expect(await create({ if: `(<${token}>)` })).toBe(201);
    expect(await alice.text('/docs/file.txt')).toBe('');
  });

  it('applies to a restore from the trash bin, which keeps the node', async () => {
    await alice.status('DELETE', '/docs/file.txt');
    const [row] = await files.database.dataSource.query<{ id: number }[]>(
      'SELECT node_id AS id FROM trashed_node WHERE owner_uid = $1',
      [uids.alice],
    );
    const token = await alice.lock('/docs');
    const restore = async (more: Record<string, string>): Promise<number> =>
      (
        await fetch(`${files.url}/remote.php/dav/trash-bin/${uids.alice}/${row!.id}`, {
          method: 'MOVE',
          headers: {
            authorization: files.authorizationOf(uids.alice),
            destination: files.addressOf('/docs/file.txt'),
            ...more,
          },
        })
      ).status;
    expect(await restore({})).toBe(423);
    const withToken = { if: `<${files.addressOf('/docs')}> (<${token}>)` };
    const toOrigin = { destination: `${files.url}/remote.php/dav/trashbin/${uids.alice}/restore/any` };
    expect(await restore(toOrigin)).toBe(423);
    expect(await restore(withToken)).toBe(201);
    expect(await alice.status('DELETE', '/docs/file.txt', { if: `(<${token}>)` })).toBe(204);
    expect(await restore({ ...withToken, ...toOrigin })).toBe(201);
  });
});

describe('a lock of a visitor', () => {
  it('applies to accounts, can be used only by visitors of its link, and ends with the link', async () => {
    const [link, other] = [
      await files.link({ path: '/docs', owner: uids.alice, permissions: 15 }),
      await files.link({ path: '/docs', owner: uids.alice, permissions: 15 }),
    ];
    const locked = await by(link.token, 'LOCK', '/file.txt', { timeout: 'Infinite' }, lockBody());
    expect(await locked.text()).toMatch(/<d:timeout>Second-(?:1800|179\d)<\/d:timeout>.*<d:locktoken>/);
    const lock = tokenIn(locked);
    expect(await alice.status('PUT', '/docs/file.txt', { if: `(<${lock}>)` }, 'x')).toBe(423);
    expect(await statusBy(other.token, 'PUT', '/file.txt', { if: `(<${lock}>)` }, 'x')).toBe(423);
    expect(await statusBy(link.token, 'PUT', '/file.txt', { if: `(<${lock}>)` }, 'by a visitor')).toBe(204);
    await files.database.dataSource.query('UPDATE share SET expires_on = current_date - 1 WHERE id = $1', [
      link.id,
    ]);
    expect(await alice.status('PUT', '/docs/file.txt', {}, 'x')).toBe(204);
  });

  it('needs the permission to change', async () => {
    const { token } = await files.link({ path: '/docs', owner: uids.alice, permissions: 1 });
    expect(await statusBy(token, 'LOCK', '/file.txt', {}, lockBody())).toBe(403);
    expect(await statusBy(token, 'LOCK', '/new.txt', {}, lockBody())).toBe(403);
    expect(await statusBy(token, 'LOCK', '/file.txt', { 'x-user-lock': '1' })).toBe(403);
  });

  it('is refused if its link has fifty already', async () => {
    const { token } = await files.link({ path: '/docs', owner: uids.alice, permissions: 15 });
    const found: number[] = [];
    for (let file = 1; file <= 51; file++)
      found.push(await statusBy(token, 'LOCK', `/${file}.txt`, {}, lockBody()));
    expect([...new Set(found.slice(0, 50)), found[50]]).toEqual([201, 507]);
    expect(await alice.status('LOCK', '/docs/51.txt', {}, lockBody())).toBe(200);
  });
});

describe('a lock of a recipient', () => {
  it.each([
    ['the share ends', 'DELETE FROM share WHERE id = $1'],
    ['the share may no longer change it', 'UPDATE share SET permissions = 1 WHERE id = $1'],
    ['they decline the share', 'UPDATE share_recipient SET state = 2 WHERE share_id = $1'],
  ])('ends when %s', async (_, change) => {
    const share = await files.share({ path: '/docs', owner: uids.alice, recipient: uids.bob });
    await bob.lock('/docs/file.txt');
    expect(await alice.status('PUT', '/docs/file.txt', {}, 'x')).toBe(423);
    await files.database.dataSource.query(change, [share]);
    expect(await alice.status('PUT', '/docs/file.txt', {}, 'x')).toBe(204);
    expect(await alice.discovered('/docs/file.txt')).toBe('');
  });

  it('needs the permission to change', async () => {
    await files.share({ path: '/docs', owner: uids.alice, recipient: uids.bob, permissions: 1 });
    expect(await bob.status('LOCK', '/docs/file.txt', {}, lockBody())).toBe(403);
    expect(await bob.status('LOCK', '/docs', {}, lockBody())).toBe(403);
    expect(await bob.status('LOCK', '/docs/file.txt', { 'x-user-lock': '1' })).toBe(403);
  });

  it.each([4, 5, 12])(
    'needs that permission also at a free name, where its refusal leaves no file (permissions %i)',
    async (permissions) => {
      await files.share({ path: '/docs', owner: uids.alice, recipient: uids.bob, permissions });
      expect(await bob.status('LOCK', '/docs/new.txt', {}, lockBody())).toBe(403);
      expect(await alice.status('GET', '/docs/new.txt')).toBe(404);
    },
  );

  it('is refused if the file has twenty already', async () => {
    for (let count = 1; count <= 20; count++) await alice.lock('/docs/file.txt', {}, lockBody('shared'));
    expect(await alice.status('LOCK', '/docs/file.txt', {}, lockBody('shared'))).toBe(507);
  });
});

describe('a lock of content at a partner', () => {
  it('is stored here, for everybody who uses this server', async () => {
    partner.set(`there-${run}`, '/f.txt', 'of a partner');
    await files.receive({ providerId: `there-${run}`, recipient: uids.bob, target: '/There' });
    const token = await bob.lock('/There/f.txt');
    expect(await bob.status('PUT', '/There/f.txt', {}, 'x')).toBe(423);
    expect(await bob.status('DELETE', '/There/f.txt')).toBe(423);
    expect(await bob.move('/There/f.txt', '/taken.txt')).toBe(423);
    expect(partner.content(`there-${run}`, '/f.txt')).toBe('of a partner');
    expect(await bob.status('PUT', '/There/f.txt', { if: `(<${token}>)` }, 'changed')).toBe(204);
    expect(await bob.discovered('/There/f.txt')).toContain(token);
    expect(await bob.unlock('/There/f.txt', token)).toBe(204);
    expect(await bob.status('DELETE', '/There/f.txt')).toBe(204);
  });
});

describe('a lock for a user, as Nextcloud’s clients make it', () => {
  const FOR_USER = { 'x-user-lock': '1' };
  const property = async (client: string, name: string): Promise<string> => {
    const body = `<d:propfind xmlns:d="DAV:" xmlns:nc="http://nextcloud.org/ns"><d:prop><nc:${name}/></d:prop></d:propfind>`;
    const reply = await files.dav('PROPFIND', client, '/docs/file.txt', { body, headers: { depth: '0' } });
    const found = new RegExp(`<x1:${name}[^>]*>([^<]*)</`).exec(await reply.text());
    return found?.[1] ?? '';
  };

  it('admits all clients of the user without a token, and no others', async () => {
    await files.share({ path: '/docs', owner: uids.alice, recipient: uids.bob });
    const locked = await files.dav('LOCK', uids.bob, '/docs/file.txt', { headers: FOR_USER });
    expect([locked.status, await locked.text()]).toEqual([200, expect.stringContaining('>1</x1:lock>')]);
    expect(await bob.status('PUT', '/docs/file.txt', {}, 'x')).toBe(204);
    expect(await alice.status('PUT', '/docs/file.txt', {}, 'x')).toBe(423);
    expect(await alice.status('LOCK', '/docs/file.txt', FOR_USER)).toBe(423);
    expect(await bob.status('LOCK', '/docs/file.txt', FOR_USER)).toBe(200);
    expect(await property(uids.alice, 'lock')).toBe('1');
    expect(await property(uids.alice, 'lock-owner')).toBe(uids.bob);
    expect(await property(uids.alice, 'lock-owner-displayname')).toBe(uids.bob);
    expect(await property(uids.alice, 'lock-owner-type')).toBe('0');
    expect(await property(uids.alice, 'lock-timeout')).toBe('86400');
    expect(Number(await property(uids.alice, 'lock-time'))).toBeGreaterThan(1_000_000_000);
    expect(await property(uids.alice, 'lock-token')).toMatch(/^opaquelocktoken:/);
  });

  it('ends by the user or the owner of the file', async () => {
    await files.share({ path: '/docs', owner: uids.alice, recipient: uids.bob });
    expect(await alice.status('UNLOCK', '/docs/file.txt', FOR_USER)).toBe(412);
    await alice.status('LOCK', '/docs/file.txt', FOR_USER);
    expect(await bob.status('UNLOCK', '/docs/file.txt', FOR_USER)).toBe(423);
    expect(await alice.status('UNLOCK', '/docs/file.txt', FOR_USER)).toBe(200);
    await bob.status('LOCK', '/docs/file.txt', FOR_USER);
    expect(await alice.status('UNLOCK', '/docs/file.txt', FOR_USER)).toBe(200);
    expect(await property(uids.alice, 'lock')).toBe('');
    expect(await alice.status('LOCK', '/docs', FOR_USER)).toBe(403);
  });
});
