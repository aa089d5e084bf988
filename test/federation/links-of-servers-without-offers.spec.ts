import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE = '/apps/files_sharing/api/v1/remote_shares';
const CALL = /^\/index\.php\/apps\/federatedfilesharing\//;
type Form = Readonly<Record<string, string>>;

/** A gateway that hides some of its paths, like servers of other products without them. */
async function behind(
  hidden: readonly RegExp[],
): Promise<{ there: SharingGateway; proxy: Server; asked: string[] }> {
  let upstream = '';
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    asked.push(`${method} ${url}`);
    if (hidden.some((path) => path.test(url)))
      return void incoming.resume().on('end', () => outgoing.writeHead(404).end());
    const onwards = forward(upstream + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const there = await SharingGateway.start({ env: { ...AMONG_FAKES, PUBLIC_URL: url } });
  upstream = there.gateway.url;
  return { there, proxy, asked };
}

describe.each<[string, RegExp[], string]>([
  ['ownCloud has them', [CALL], '/public.php/webdav/'],
  ['OpenCloud has them', [CALL, /^\/public\.php/], '/remote.php/dav/public-files/'],
])('a link of a server that offers no shares for links, if %s', (_, hidden, place) => {
  let here: SharingGateway;
  let there: SharingGateway;
  let proxy: Server;
  let asked: string[];
  let links = 0;
  beforeAll(async () => {
    ({ there, proxy, asked } = await behind(hidden));
    here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '30s' } });
    await here.addUsers('bob', 'ben');
    await there.addUsers('alice');
  });
  afterAll(async () => {
    await Promise.all([here?.stop(), there?.stop()]);
    proxy.close();
  });

  const address = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  async function link(form: Form = {}): Promise<{ id: string; url: string; name: string }> {
    const name = `linked-${(links += 1)}`;
    await there.dav('MKCOL', 'alice', `/${name}`);
    await there.store('alice', `/${name}/inside.txt`);
    const made = await there.ocs('POST', SHARES, 'alice', { path: `/${name}`, shareType: '3', ...form });
    expect(made.code).toBe(200);
    return { id: String(made.data.id), url: `${address()}/s/${made.data.token}`, name };
  }
  const save = (uid: string, form: Form) => here.ocs('POST', REMOTE, uid, form);
  const status = (method: string, path: string, body?: string) => here.dav(method, 'bob', path, {}, body);
  async function saved(form: Form): Promise<string> {
    const answer = await save('bob', form);
    expect(answer).toMatchObject({ code: 200, data: { accepted: 1, type: 'dir' } });
    return String(answer.data.mountpoint);
  }

  it('is mounted under the requested name, and read', async () => {
    const { url, name } = await link();
    const mount = await saved({ url, name });
    expect(mount).toBe(`/${name}`);
    expect(await status('GET', `${mount}/inside.txt`)).toBe(200);
    expect(await status('PUT', `${mount}/new.txt`, 'new')).toBe(403);
    expect(asked.some((line) => line.startsWith(`PROPFIND ${place}`))).toBe(true);
  });

  it('is writable if the link is, and gets a default name', async () => {
    const { url, name } = await link({ permissions: '15' });
    const mount = await saved({ url });
    expect(mount).toMatch(/^\/Link of 127\.0\.0\.1 \d+/);
    expect(await status('PUT', `${mount}/new.txt`, 'new')).toBe(201);
    expect(await there.dav('GET', 'alice', `/${name}/new.txt`)).toBe(200);
    expect(await saved({ url: (await link()).url })).toBe(`${mount} (2)`);
  });

  it('needs its password, which stays hidden here', async () => {
    const { url, name } = await link({ password: 'open-sesame-please' });
    for (const password of ['', 'wrong']) expect((await save('bob', { url, password })).code).toBe(403);
    const answer = await save('bob', { url, name, password: 'open-sesame-please' });
    expect(await status('GET', `/${name}/inside.txt`)).toBe(200);
    expect(answer.data.share_token).toBe(url.split('/').at(-1));
    expect(JSON.stringify(answer.data)).not.toContain('sesame');
    expect(JSON.stringify(await here.query('SELECT * FROM received_share'))).not.toContain('sesame');
  });

  it('may not be shared again, and its server gets no messages', async () => {
    const { url, name } = await link({ permissions: '15' });
    const mount = await saved({ url, name });
    expect((await here.share('bob', { path: mount, shareWith: 'ben', permissions: '1' })).code).not.toBe(200);
    const { id } = (await here.ocs('GET', REMOTE, 'bob')).data.find(
      ({ mountpoint }: { mountpoint: string }) => mountpoint === mount,
    );
    expect((await here.ocs('DELETE', `${REMOTE}/${id}`, 'bob')).code).toBe(200);
    expect(await status('GET', `${mount}/inside.txt`)).toBe(404);
    await here.query(`UPDATE received_share SET state = 'accepted' WHERE id = $1`, [id]);
    await here.query('DELETE FROM received_share WHERE id = $1', [id]);
    expect(await here.query('SELECT id FROM outbox_message')).toEqual([]);
  });

  it('ends a day after the end of the link', async () => {
    const { id, url, name } = await link();
    const mount = await saved({ url, name });
    await there.ocs('DELETE', `${SHARES}/${id}`, 'alice');
    const share = `name = '${name}'`;
    for (const times of [1, 2, 3]) {
      const refused = `SELECT id FROM received_share WHERE ${share} AND (failed_probes >= $1 OR state = 'gone')`;
      const isRefused = async (): Promise<boolean> => {
        // Repeated, because a probe that was already running writes its own times.
        await here.query(
          `UPDATE received_share SET look_at = now(), quarantined_at = CASE WHEN failed_probes > 0
             THEN now() - failed_probes * interval '1 day' END WHERE ${share} AND failed_probes < $1`,
          [times],
        );
        await here.query(`SELECT pg_notify('drawbridge_changes', 'look:')`);
        return (await here.query(refused, [times])).length === 1;
      };
      await eventually(`refusal ${times}, a day after the one before`, isRefused, 90_000);
    }
    await eventually(
      'it is gone',
      async () =>
        (await here.query(`SELECT id FROM received_share WHERE ${share} AND state = 'gone'`)).length === 1,
    );
    expect(await status('GET', `${mount}/inside.txt`)).toBe(404);
  });

  it('of one file is mounted too', async () => {
    await there.store('alice', '/alone.txt');
    const made = await there.ocs('POST', SHARES, 'alice', { path: '/alone.txt', shareType: '3' });
    const url = `${address()}/s/${made.data.token}`;
    const { mountpoint, type } = (await save('bob', { url, name: 'mine.txt' })).data;
    const isFile = place === '/public.php/webdav/';
    expect([mountpoint, type]).toEqual(['/mine.txt', isFile ? 'file' : 'dir']);
    expect(await status('GET', isFile ? '/mine.txt' : '/mine.txt/alone.txt')).toBe(200);
  });

  it('is refused if it only accepts files', async () => {
    const { url, name } = await link({ permissions: '4' });
    const answer = await save('bob', { url, name });
    expect(answer).toMatchObject({ code: 400, message: expect.stringContaining('refused') });
    expect(await status('PROPFIND', `/${name}`)).toBe(404);
  });

  it('is refused if it is view-only', async () => {
    const attributes = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);
    const { url, name } = await link({ attributes });
    expect(await save('bob', { url, name })).toMatchObject({ code: 400 });
    expect(await status('PROPFIND', `/${name}`)).toBe(404);
  });

  it('is refused if the link does not exist', async () => {
    expect((await save('bob', { url: `${address()}/s/NoSuchLinkHere1` })).code).toBe(404);
  });
});
