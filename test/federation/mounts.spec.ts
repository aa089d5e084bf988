import { basicAuth, eventually } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES, SHARES } from './outgoing-world';
import { itInFullForm } from '../../libs/testing/src/full-form';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

let a: SharingWorld;
let b: SharingWorld;
let bobsId: unknown;
let alicesId: unknown;

const host = (world: SharingWorld): string => new URL(world.gateway.url).host;
const start = (): Promise<SharingWorld> =>
  SharingWorld.start({ compatibility: 'owncloud10', env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' } });

beforeAll(async () => {
  [a, b] = await Promise.all([start(), start()]);
  await a.addUser('alice');
  await b.addUser('bob');
  await b.addUser('carol');
  await dav(a, 'alice', 'MKCOL', '/plans');
  await dav(a, 'alice', 'PUT', '/plans/one.txt', { body: 'of alice' });
  const share = await a.share('alice', { path: '/plans', shareType: '6', shareWith: `bob@${host(b)}` });
  alicesId = share.id;
  const pending = (await b.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' })).data as { id: unknown }[];
  bobsId = pending[0]!.id;
  await b.must('POST', `${REMOTE_SHARES}/pending/${String(bobsId)}`, { as: 'bob' });
}, 300_000);
let isAway = false;
afterAll(async () => {
  await Promise.all([isAway ? undefined : a.stop(), b.stop()]);
});

function dav(
  world: SharingWorld,
  uid: string,
  method: string,
  path: string,
  options: { body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Response> {
  const headers = { authorization: basicAuth(uid, PASSWORD), ...options.headers };
  const url = `${world.gateway.url}/remote.php/webdav${path.split('/').map(encodeURIComponent).join('/')}`;
  const body = typeof options.body === 'string' ? options.body : options.body && new Uint8Array(options.body);
  return fetch(url, { method, headers, body });
}

const asBob = (method: string, path: string, options?: Parameters<typeof dav>[4]): Promise<Response> =>
  dav(b, 'bob', method, path, options);
const ofAlice = async (path: string): Promise<string> => (await dav(a, 'alice', 'GET', path)).text();
const ofBob = async (path: string): Promise<string> => (await asBob('GET', path)).text();

async function listed(world: SharingWorld, uid: string, path: string): Promise<string[]> {
  const xml = await (await dav(world, uid, 'PROPFIND', path, { headers: { depth: '1' } })).text();
  return [...xml.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}

describe('a folder of alice at a, mounted by bob at b', () => {
  it('is listed and read by the recipient', async () => {
    expect(await listed(b, 'bob', '/')).toContain('/plans/');
    expect(await listed(b, 'bob', '/plans')).toEqual(['/plans/', '/plans/one.txt']);
    expect(await ofBob('/plans/one.txt')).toBe('of alice');
    const part = await asBob('GET', '/plans/one.txt', { headers: { range: 'bytes=3-' } });
    expect([part.status, await part.text()]).toEqual([206, 'alice']);
  });

  it('is written, and alice sees the change', async () => {
    expect((await asBob('PUT', '/plans/two.txt', { body: 'of bob' })).status).toBe(201);
    expect(await ofAlice('/plans/two.txt')).toBe('of bob');
    expect((await asBob('MKCOL', '/plans/more')).status).toBe(201);
    const destination = `${b.gateway.url}/remote.php/webdav/plans/more/two.txt`;
    expect((await asBob('MOVE', '/plans/two.txt', { headers: { destination } })).status).toBe(201);
    expect(await ofAlice('/plans/more/two.txt')).toBe('of bob');
    expect((await asBob('PUT', '/plans/one.txt', { body: 'changed by bob' })).status).toBe(204);
    expect(await ofAlice('/plans/one.txt')).toBe('changed by bob');
    expect((await asBob('DELETE', '/plans/more')).status).toBe(204);
    expect(await listed(a, 'alice', '/plans')).toEqual(['/plans/', '/plans/one.txt']);
  });

  it('shows changes by alice', async () => {
    await dav(a, 'alice', 'PUT', '/plans/three.txt', { body: 'third' });
    // A folder whose partner does not answer within a second is listed as it was.
    await eventually('the file', async () => (await listed(b, 'bob', '/plans')).includes('/plans/three.txt'));
    await dav(a, 'alice', 'PUT', '/plans/three.txt', { body: 'third, changed' });
    expect(await ofBob('/plans/three.txt')).toBe('third, changed');
  });

  itInFullForm('transfers large files completely', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 'drawbridge ');
    expect((await asBob('PUT', '/plans/large.bin', { body: large })).status).toBe(201);
    const back = Buffer.from(await (await asBob('GET', '/plans/large.bin')).arrayBuffer());
    expect(back.equals(large)).toBe(true);
    // Until the instance of alice has it, the end of the share would make it a file of bob's own.
    await eventually(
      'the end of the delivery',
      async () => (await b.query('SELECT FROM stored_write')).length === 0,
    );
    const atAlice = Buffer.from(await (await dav(a, 'alice', 'GET', '/plans/large.bin')).arrayBuffer());
    expect(atAlice.equals(large)).toBe(true);
  });

  it('is shared again with a user and by a link', async () => {
    await b.share('bob', { path: '/plans', shareType: '0', shareWith: 'carol' });
    expect(await listed(b, 'carol', '/plans')).toContain('/plans/one.txt');
    expect(await (await dav(b, 'carol', 'GET', '/plans/one.txt')).text()).toBe('changed by bob');
    const { token } = await b.share('bob', { path: '/plans/one.txt', shareType: '3' });
    const reply = await fetch(`${b.gateway.url}/public.php/webdav`, {
      headers: { authorization: basicAuth(String(token), ''), 'x-requested-with': 'XMLHttpRequest' },
    });
    expect(await reply.text()).toBe('changed by bob');
  });

  it('shows its recipients', async () => {
    const body =
      '<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:share-types/></d:prop></d:propfind>';
    const xml = await (await asBob('PROPFIND', '/plans', { body, headers: { depth: '0' } })).text();
    expect(xml).toContain('<oc:share-type>0</oc:share-type>');
  });

  it('a mount gives its recipient no more rights than the owner gives', async () => {
    const ofCarol = async (): Promise<Record<string, unknown>> => {
      const { data } = await b.must('GET', SHARES, { as: 'bob' });
      return (data as Record<string, unknown>[]).find(({ path }) => path === '/plans')!;
    };
    const { id, ...before } = await ofCarol();
    expect(before).toMatchObject({ uid_file_owner: 'bob', uid_owner: 'bob', permissions: 31 });
    await a.must('PUT', `${SHARES}/${String(alicesId)}`, { as: 'alice', form: { permissions: '17' } });
    await eventually('the change', async () => (await ofCarol()).permissions === 17);
    expect((await asBob('PUT', '/plans/one.txt', { body: 'no' })).status).toBe(403);
    expect((await dav(b, 'carol', 'PUT', '/plans/one.txt', { body: 'no' })).status).toBe(403);
    const raised = await b.ocs('PUT', `${SHARES}/${String(id)}`, { as: 'bob', form: { permissions: '31' } });
    expect(raised.code).toBe(404);
    expect(await ofAlice('/plans/one.txt')).toBe('changed by bob');
  });

  it('is shared again only as long as alice allows it', async () => {
    const { token } = await b.share('bob', { path: '/plans', shareType: '3' });
    const visit = (): Promise<Response> =>
      fetch(`${b.gateway.url}/public.php/webdav/one.txt`, {
        headers: { authorization: basicAuth(String(token), ''), 'x-requested-with': 'XMLHttpRequest' },
      });
    expect(await (await visit()).text()).toBe('changed by bob');
    await a.must('PUT', `${SHARES}/${String(alicesId)}`, { as: 'alice', form: { permissions: '1' } });
    await eventually('the change', async () => (await visit()).status !== 200);
    const form = { path: '/plans', shareType: '0', shareWith: 'admin' };
    expect((await b.ocs('POST', SHARES, { as: 'bob', form })).code).toBe(404);
  });

  it('is left by a removal, which alice sees', async () => {
    expect((await asBob('DELETE', '/plans')).status).toBe(204);
    expect(await listed(b, 'bob', '/')).toEqual(['/']);
    expect(await listed(b, 'carol', '/')).toEqual(['/']);
    await eventually('the end at alice', async () => {
      const { code } = await a.ocs('GET', `${SHARES}/${String(alicesId)}`, { as: 'alice' });
      return code === 404;
    });
    expect(await ofAlice('/plans/one.txt')).toBe('changed by bob');
  });
});

describe('a folder that bob has read, while the instance of alice is unreachable', () => {
  const read = (): Promise<Response> => asBob('GET', '/kept/one.txt');

  beforeAll(async () => {
    await dav(a, 'alice', 'MKCOL', '/kept');
    // A file that was changed in the second of its reading is not kept.
    const headers = { 'x-oc-mtime': '1700000000' };
    await dav(a, 'alice', 'PUT', '/kept/one.txt', { body: 'read before', headers });
    await a.share('alice', { path: '/kept', shareType: '6', shareWith: `bob@${host(b)}` });
    const pending = (await b.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' })).data as {
      id: unknown;
    }[];
    await b.must('POST', `${REMOTE_SHARES}/pending/${String(pending[0]!.id)}`, { as: 'bob' });
    const first = await read();
    expect([first.headers.get('cache-status'), await first.text()]).toEqual([null, 'read before']);
    const kept = "SELECT FROM cached_content c JOIN node n ON n.id = c.node_id WHERE n.name = 'one.txt'";
    await eventually('the content that is kept', async () => (await b.query(kept)).length === 1);
    isAway = true;
    await a.stop();
  }, 120_000);

  it('cannot be read', async () => {
    const reply = await read();
    expect([reply.status, Number(reply.headers.get('retry-after')) > 0]).toEqual([503, true]);
  });

  it('can be read if the setting allows it, and is marked', async () => {
    await b.set('files', 'partner_cache_while_away', 'yes');
    const reply = await read();
    expect([reply.status, await reply.text()]).toEqual([200, 'read before']);
    expect(reply.headers.get('cache-status')).toMatch(/^Drawbridge; hit; ttl=-\d+; detail=partner-away$/);
    const part = await asBob('GET', '/kept/one.txt', { headers: { range: 'bytes=5-' } });
    expect([part.status, await part.text()]).toEqual([206, 'before']);
  });
});
