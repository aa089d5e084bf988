import { Database, RestoredOffers } from '#persistence';
import { SecretBox } from '#platform';
import {
  basicAuth,
  eventually,
  replyJson,
  startFakeServer,
  startNextcloud,
  type FakeServer,
} from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { Browser } from '../edge/browser';
import { PASSWORD } from '../edge/edge-client';
import { totpCode } from '../edge/totp';
import { AMONG_FAKES, hostOf, OutgoingWorld, recordOf, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const MUST = 'must-use-mfa';
const DEMAND = JSON.stringify([{ scope: 'authentication', key: 'second-factor', enabled: true }]);
const SECOND_FACTOR_TEXT = 'This share opens only where you signed in with a second factor';

const TUS = { 'tus-resumable': '1.0.0', 'upload-length': '6' };

type Entry = Readonly<Record<string, unknown>>;

/** Calls of bob about the share `/plans` and a file in it; each needs its content. */
const CALLS: readonly (readonly [
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: string,
])[] = [
  ['GET', '/remote.php/webdav/plans/a.txt'],
  ['GET', '/remote.php/webdav/plans/none.txt'],
  ['HEAD', '/remote.php/dav/files/bob/plans/a.txt'],
  ['GET', '/remote.php/webdav/plans', { accept: 'application/zip' }],
  ['PROPFIND', '/remote.php/webdav/plans', { depth: '1' }],
  ['PROPFIND', '/remote.php/webdav/plans/a.txt', { depth: '0' }],
  ['PROPFIND', '/remote.php/dav/files/bob/plans/none.txt', { depth: '0' }],
  ['PUT', '/remote.php/webdav/plans/a.txt', {}, 'of bob'],
  ['PUT', '/remote.php/webdav/plans/new.txt', {}, 'of bob'],
  ['MKCOL', '/remote.php/webdav/plans/new'],
  ['DELETE', '/remote.php/webdav/plans/a.txt'],
  ['COPY', '/remote.php/webdav/plans/a.txt', { destination: '/remote.php/webdav/mine.txt' }],
  ['COPY', '/remote.php/webdav/plans', { destination: '/remote.php/webdav/mine' }],
  ['MOVE', '/remote.php/webdav/plans/a.txt', { destination: '/remote.php/webdav/mine.txt' }],
  ['MOVE', '/remote.php/webdav/own.txt', { destination: '/remote.php/webdav/plans/own.txt' }],
  ['COPY', '/remote.php/webdav/own.txt', { destination: '/remote.php/webdav/plans/own.txt' }],
  ['PROPPATCH', '/remote.php/webdav/plans/a.txt', {}, PROPPATCH()],
  ['LOCK', '/remote.php/webdav/plans/a.txt', {}, LOCK()],
  ['GET', '/remote.php/dav/files/bob/plans/a.txt?preview=1&x=32&y=32'],
  ['POST', '/remote.php/dav/files/bob/plans', { ...TUS, 'upload-metadata': 'filename bmV3LnR4dA==' }],
];

function PROPPATCH(): string {
  return '<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop><x xmlns="urn:x">1</x></d:prop></d:set></d:propertyupdate>';
}

function LOCK(): string {
  return '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';
}

describe('a share with another instance that demands a second factor', () => {
  let alices: SharingWorld;
  let bobs: SharingWorld;
  let browser: Browser;
  let weak: string;
  let strong: string;
  let id: string;

  const start = (): Promise<SharingWorld> =>
    SharingWorld.start({
      compatibility: 'owncloud10',
      env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' },
    });
  const asBob = (
    password: string,
    [method, path, headers, body]: (typeof CALLS)[number],
  ): Promise<Response> =>
    fetch(bobs.gateway.url + path, {
      method,
      headers: { ...headers, authorization: basicAuth('bob', password) },
      body,
    });
  const json = async (method: string, path: string, body?: object): Promise<Entry> => {
    const headers = { requesttoken: browser.requestToken, 'content-type': 'application/json' };
    const reply = await browser.fetch(path, { method, headers, body: body && JSON.stringify(body) });
    expect(reply.ok).toBe(true);
    return (await reply.json()) as Entry;
  };
  const appPassword = async (): Promise<string> =>
    String(
      (await json('POST', '/web/app-passwords', { name: 'phone', scopes: ['files', 'sharing'] })).secret,
    );

  beforeAll(async () => {
    [alices, bobs] = [await start(), await start()];
    await alices.addUser('alice');
    await bobs.addUser('bob');
    await bobs.addUser('carol');
    await bobs.put('bob', '/own.txt');
    await alices.makeFolder('alice', '/plans');
    await alices.put('alice', '/plans/a.txt');
    browser = new Browser(bobs.gateway.url);
    await browser.signIn('bob', PASSWORD);
    weak = await appPassword();
    const shareWith = `bob@${new URL(bobs.gateway.url).host}`;
    const form = { path: '/plans', shareType: '6', shareWith, permissions: '31', attributes: DEMAND };
    id = String((await alices.share('alice', form)).id);
    const pending = (await bobs.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' })).data as Entry[];
    await bobs.must('POST', `${REMOTE_SHARES}/pending/${String(pending[0]!.id)}`, { as: 'bob' });
    const { secret, setup } = await json('GET', '/web/second-factor/proposal');
    await json('PUT', '/web/second-factor', { setup, code: totpCode(String(secret)) });
    strong = await appPassword();
  }, 300_000);
  afterAll(async () => {
    await Promise.all([alices, bobs].map((world) => world?.stop()));
  });

  it('is announced, and sent to that instance with the demand', async () => {
    const { capabilities } = (await (await fetch(`${bobs.gateway.url}/.well-known/ocm`)).json()) as {
      capabilities: string[];
    };
    expect(capabilities).toContain('enforce-mfa');
    const [row] = await bobs.query<{ said: unknown }>(
      "SELECT access -> 'requirements' AS said FROM received_share",
    );
    expect(row).toEqual({ said: [MUST] });
    expect(await alices.must('GET', `${SHARES}/${id}`, { as: 'alice' })).toMatchObject({
      data: [{ attributes: DEMAND }],
    });
  });

  it.each(CALLS.map((call) => [call] as const))(
    'is closed to %j without one, with this reason',
    async (call) => {
      const reply = await asBob(weak, call);
      const text = await reply.text();
      expect([reply.status, text]).toEqual([
        403,
        call[0] === 'HEAD' ? '' : expect.stringContaining(SECOND_FACTOR_TEXT),
      ]);
    },
  );

  it('is in the list, but does not show its content', async () => {
    const text = await (await asBob(weak, ['PROPFIND', '/remote.php/webdav/', { depth: '1' }])).text();
    expect(text).toContain('/plans');
    expect(text).not.toContain('a.txt');
    const found = await (
      await asBob(weak, ['REPORT', '/remote.php/dav/files/bob', {}, search('.txt')])
    ).text();
    expect(found).toContain('own.txt');
    expect(found).not.toContain('a.txt');
  });

  it('cannot be shared again without one', async () => {
    for (const form of [
      { shareType: '0', shareWith: 'carol', attributes: DEMAND },
      { shareType: '3' },
      { shareType: '6', shareWith: `dora@${new URL(alices.gateway.url).host}`, attributes: DEMAND },
    ]) {
      const body = new URLSearchParams(Object.entries({ path: '/plans', permissions: '1', ...form }));
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const reply = await asBob(weak, ['POST', `/ocs/v2.php${SHARES}`, headers, body.toString()]);
      expect(reply.status).not.toBe(200);
      expect(await bobs.query('SELECT id FROM share')).toEqual([]);
    }
  });

  it('opens to an app password that was made with one, and in the session', async () => {
    const get = CALLS[0]!;
    const reply = await asBob(strong, get);
    expect([reply.status, await reply.text()]).toEqual([200, 'content']);
    expect(await (await browser.fetch(get[1])).text()).toBe('content');
    expect((await asBob(strong, ['PUT', '/remote.php/webdav/plans/b.txt', {}, 'of bob'])).status).toBe(201);
    expect(await alices.read('alice', '/plans/b.txt')).toBe('of bob');
    const listed = await asBob(strong, ['PROPFIND', '/remote.php/webdav/plans', { depth: '1' }]);
    expect(await listed.text()).toContain('b.txt');
  });

  it('is shared again only with the same demand', async () => {
    const share = (attributes: string): Promise<Response> =>
      browser.fetch(`/ocs/v2.php${SHARES}?format=json`, {
        method: 'POST',
        headers: { requesttoken: browser.requestToken },
        body: new URLSearchParams({
          path: '/plans',
          shareType: '0',
          shareWith: 'carol',
          permissions: '1',
          attributes,
        }),
      });
    expect((await share('[]')).status).toBe(404);
    expect((await share(DEMAND)).status).toBe(200);
    const headers = { authorization: basicAuth('carol', PASSWORD) };
    const reply = await fetch(`${bobs.gateway.url}/remote.php/webdav/plans/a.txt`, { headers });
    expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining(SECOND_FACTOR_TEXT)]);
  });

  it('keeps its demand through changes', async () => {
    const change = (form: Record<string, string>) =>
      alices.ocs('PUT', `${SHARES}/${id}`, { as: 'alice', form });
    expect((await change({ attributes: '[]' })).code).toBe(400);
    expect((await change({ permissions: '1' })).code).toBe(100);
    expect((await alices.must('GET', `${SHARES}/${id}`, { as: 'alice' })).data).toMatchObject([
      { attributes: DEMAND, permissions: 1 },
    ]);
  });
});

const search = (name: string): string =>
  `<oc:search-files xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:getetag/></d:prop><oc:search><oc:pattern>${name}</oc:pattern></oc:search></oc:search-files>`;

describe('an offer that demands a second factor', () => {
  let world: OutgoingWorld;
  let server: FakeServer;
  let capabilities: string[];

  beforeAll(async () => {
    world = await OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '10s' });
    server = await startFakeServer((request, response) => {
      if (request.path.endsWith('/shares')) return replyJson(response, 201, {});
      if (request.path !== '/.well-known/ocm') return replyJson(response, 404, {});
      return replyJson(response, 200, {
        enabled: true,
        apiVersion: '1.4.0',
        endPoint: `${server.url}/ocm`,
        provider: 'Another',
        resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } }],
        capabilities,
        criteria: [],
      });
    });
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
    await server?.close();
  });

  async function restoreWhatWasRemoved(): Promise<void> {
    const bin = `${world.sharing.gateway.url}/remote.php/dav/trash-bin/alice`;
    const authorization = basicAuth('alice', PASSWORD);
    const listed = await (
      await fetch(bin, { method: 'PROPFIND', headers: { authorization, depth: '1' } })
    ).text();
    const [, id] = /trash-bin\/alice\/(\d+)/.exec(listed)!;
    const destination = `${world.sharing.gateway.url}/remote.php/dav/files/alice/b.txt`;
    const reply = await fetch(`${bin}/${id}`, { method: 'MOVE', headers: { authorization, destination } });
    expect(reply.status).toBe(201);
    const { nest } = world.sharing.gateway.instance.app;
    const database = nest.get(Database, { strict: false });
    await new RestoredOffers(database, nest.get(SecretBox, { strict: false })).renew();
  }

  it('goes only to servers that announce support, and again after a restore from the trash bin', async () => {
    const offers = (): Entry[] =>
      server.requests
        .filter(({ method, path }) => method === 'POST' && path.endsWith('/shares'))
        .map(({ body }) => JSON.parse(body) as Entry);
    capabilities = [];
    const refused = await world.offer('a.txt', `bea@${hostOf(server)}`, {
      attributes: DEMAND,
      permissions: '1',
    });
    expect(refused.message).toContain('second factor');
    expect([offers(), await world.list({})]).toEqual([[], []]);
    capabilities = ['enforce-mfa'];
    expect(
      recordOf(await world.offer('b.txt', `bea@${hostOf(server)}`, { attributes: DEMAND, permissions: '1' })),
    ).toMatchObject({ delivery_state: 'delivered' });
    expect(offers()).toMatchObject([{ protocol: { name: 'multi', webdav: { requirements: [MUST] } } }]);
    await world.remove('b.txt');
    expect(await world.query('SELECT attributes FROM trashed_offer')).toEqual([{ attributes: DEMAND }]);
    await restoreWhatWasRemoved();
    await eventually('the restored file to be offered again', () => offers().length === 2);
    expect(offers()[1]).toMatchObject({
      name: 'b.txt',
      protocol: { name: 'multi', webdav: { requirements: [MUST] } },
    });
    expect(await world.list({})).toMatchObject([{ path: '/b.txt', attributes: DEMAND }]);
    const nextcloud = await startNextcloud();
    await world.offer('c.txt', `bea@${hostOf(nextcloud)}`, { attributes: DEMAND, permissions: '1' });
    expect(nextcloud.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    await nextcloud.close();
  });
});
