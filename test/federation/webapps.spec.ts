import { randomBytes } from 'node:crypto';
import { ShareAccessTokens } from '#identity';
import { SecretBox } from '#platform';
import { replyJson, startFakeServer, basicAuth, eventually, type FakeServer } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES, hostOf, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const MUST = 'must-exchange-token';
const SETTINGS = 'federatedfilesharing';

type Entry = Readonly<Record<string, unknown>>;

interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const asBob = { authorization: basicAuth('bob', PASSWORD) };

async function open(
  world: SharingWorld,
  path: string,
  headers: Record<string, string> = asBob,
): Promise<Page> {
  const reply = await fetch(world.gateway.url + path, { headers, redirect: 'manual' });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
}

/** Address and fields of the form in a page. */
function formIn({ text }: Page): { readonly action: string; readonly fields: Record<string, string> } {
  const action = /<form id="launch" method="post" action="([^"]*)"/.exec(text)?.[1] ?? '';
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return { action, fields: Object.fromEntries(inputs.map(([, name, value]) => [name!, value!])) };
}

const received = async (world: SharingWorld, below = ''): Promise<readonly Entry[]> =>
  (await world.must('GET', REMOTE_SHARES + below, { as: 'bob' })).data as Entry[];

async function accept(world: SharingWorld): Promise<Entry> {
  const [offer] = await received(world, '/pending');
  await world.must('POST', `${REMOTE_SHARES}/pending/${String(offer!.id)}`, { as: 'bob' });
  return (await received(world)).find(({ id }) => id === offer!.id)!;
}

describe('a share that two instances open as a page', () => {
  let a: SharingWorld;
  let b: SharingWorld;
  let shareId: string;
  let record: Entry;
  let session: string;
  const key = randomBytes(32).toString('hex');

  beforeAll(async () => {
    const env = { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s', ENCRYPTION_KEY: key };
    [a, b] = await Promise.all([SharingWorld.start({ env }), SharingWorld.start({ env })]);
    await Promise.all([a.addUser('alice'), b.addUser('bob')]);
    await a.set(SETTINGS, 'outgoing_webapps', 'yes');
    await a.makeFolder('alice', '/plans');
    await a.put('alice', '/plans/one.txt');
    const shareWith = `bob@${new URL(b.gateway.url).host}`;
    const given = { path: '/plans', shareType: '6', shareWith, permissions: '1' };
    shareId = String((await a.share('alice', given)).id);
    record = await accept(b);
  }, 300_000);
  afterAll(() => Promise.all([a?.stop(), b?.stop()]));

  const here = (): string => (record.webapp as Entry).open as string;
  const post = (token: string, id = shareId, below = ''): Promise<Response> =>
    fetch(`${a.gateway.url}/index.php/apps/ocm/app/${id}${below}`, {
      method: 'POST',
      headers: { origin: b.gateway.url, 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ access_token: token }),
      redirect: 'manual',
    });
  const freshToken = async (): Promise<string> => formIn(await open(b, here())).fields.access_token!;

  it('is also offered as an application, and read through the mount with access tokens', async () => {
    expect(record.webapp).toEqual({ app_name: '', permissions: ['view', 'read'], open: expect.any(String) });
    expect((await open(b, '/remote.php/webdav/plans/one.txt')).text).toBe('content');
  });

  it('opens by a form that posts a token to the owner’s server, and shows no secret', async () => {
    const page = await open(b, here());
    const { action, fields } = formIn(page);
    expect(action).toBe(`${a.gateway.url}/index.php/apps/ocm/app/${shareId}`);
    expect(fields).toEqual({
      access_token: expect.stringMatching(/^at_/),
      expired_session_redirect_uri: `${b.gateway.url}${here()}`,
    });
    expect(page.text).not.toContain(String(record.share_token));
    expect(page.headers.get('content-security-policy')).toContain(`form-action ${a.gateway.url};`);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('begins a session at the owner’s server, without a cookie, for this share', async () => {
    const reply = await post(await freshToken());
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([303, null]);
    session = reply.headers.get('location')!;
    const page = await open(a, session, {});
    expect([page.status, page.text.includes('one.txt')]).toEqual([200, true]);
    // Neither a form for saving it elsewhere nor one for uploads: it may only be read.
    expect(page.text).not.toMatch(/createFederatedShare|type="file"/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const content = /href="([^"]*one\.txt[^"]*)"/.exec(page.text)![1]!;
    expect((await open(a, content, {})).text).toBe('content');
    const put = await fetch(a.gateway.url + content, { method: 'PUT', body: 'of bob' });
    expect(put.status).toBe(403);
  });

  it('opens an entry of the folder below the same address', async () => {
    const reply = await post(await freshToken(), shareId, '/one.txt');
    expect((await open(a, reply.headers.get('location')!, {})).text).toMatch(/<h1>one\.txt<\/h1>/);
  });

  it('is no public link: it cannot be mounted, and its session is no account', async () => {
    const token = session.split('/s/')[1]!;
    const headers = { authorization: basicAuth(token, ''), depth: '0' };
    const dav = await fetch(`${a.gateway.url}/public.php/webdav/`, { method: 'PROPFIND', headers });
    expect(dav.status).toBe(401);
    const bearer = { authorization: `Bearer ${token}`, depth: '0' };
    const other = await fetch(`${a.gateway.url}/dav/ocm/${shareId}`, { method: 'PROPFIND', headers: bearer });
    expect(other.status).toBe(401);
    const body = new URLSearchParams({ shareWith: `zoe@${hostOf({ url: b.gateway.url })}`, token });
    const saved = await fetch(`${a.gateway.url}/index.php/apps/federatedfilesharing/createFederatedShare`, {
      method: 'POST',
      body,
    });
    expect(saved.status).toBe(400);
  });

  it.each<[string, () => Promise<Response>]>([
    ['an unknown share', async () => post(await freshToken(), '999999')],
    ['a wrong token', () => post('at_wrong')],
    ['the secret itself', () => post(String(record.share_token))],
    ['the text of a session', () => post(session.split('/s/')[1]!)],
    ['no token', () => post('')],
  ])('answers the same to %s', async (_what, ask) => {
    const reply = await ask();
    expect([reply.status, (await reply.text()).includes('Nothing here')]).toEqual([404, true]);
  });

  it('is not opened by a page of another site, nor by another person', async () => {
    const page = await open(b, here(), { ...asBob, 'sec-fetch-site': 'cross-site' });
    expect([page.status, formIn(page).action]).toEqual([200, '']);
    expect(page.text).toContain(`href="${here()}"`);
    await b.addUser('carol');
    const carol = { authorization: basicAuth('carol', PASSWORD) };
    expect((await open(b, here(), carol)).status).toBe(404);
    const stranger = await open(b, here(), { accept: 'text/html' });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      `/login?next=${encodeURIComponent(here())}`,
    ]);
  });

  it('opens for an hour', async () => {
    const [row] = await a.query<{ hmac: Buffer }>(
      `SELECT token_hmac AS hmac FROM share WHERE id = ${shareId}`,
    );
    const tokens = new ShareAccessTokens(new SecretBox(() => Buffer.from(key, 'hex')));
    const begun = (secondsAgo: number): string => {
      jest.useFakeTimers({ now: Date.now() - secondsAgo * 1000 });
      const text = tokens.giveSession(row!.hmac);
      jest.useRealTimers();
      return text;
    };
    expect((await open(a, `/s/${begun(3500)}`, {})).status).toBe(200);
    for (const path of ['/s/', '/remote.php/dav/public-files/'])
      expect((await open(a, path + begun(3601), {})).status).toBe(404);
  });

  it('shows uploads after the owner allowed them', async () => {
    await a.must('PUT', `${SHARES}/${shareId}`, { as: 'alice', form: { permissions: '7' } });
    expect((await open(a, session, {})).text).toContain('type="file"');
    const form = new FormData();
    form.append('file', new Blob(['of bob']), 'new.txt');
    const reply = await fetch(`${a.gateway.url}${session}/files`, { method: 'POST', body: form });
    expect([reply.status, (await reply.text()).includes('new.txt')]).toEqual([200, true]);
  });

  it('ends for all sessions when the setting is switched off, the partner is denied, or the share ends', async () => {
    await a.set(SETTINGS, 'outgoing_webapps', 'no');
    await eventually('the end of the setting', async () => (await open(a, session, {})).status === 404);
    expect((await post(await freshToken())).status).toBe(404);
    await a.set(SETTINGS, 'outgoing_webapps', 'yes');
    await eventually('the setting', async () => (await open(a, session, {})).status === 200);
    await a.set(SETTINGS, 'denied_hosts', JSON.stringify([new URL(b.gateway.url).host]));
    await eventually('the end of trust', async () => (await open(a, session, {})).status === 503);
    await a.unset(SETTINGS, 'denied_hosts');
    await eventually('trust', async () => (await open(a, session, {})).status === 200);
    await a.must('DELETE', `${SHARES}/${shareId}`, { as: 'alice' });
    expect((await open(a, session, {})).status).toBe(404);
    await eventually('the end at the recipient', async () => (await received(b)).length === 0);
    expect((await open(b, here())).status).toBe(404);
  });
});

describe('an offer with a web application', () => {
  let b: SharingWorld;
  let server: FakeServer;
  let exchanges: string[];
  let run = 0;

  beforeAll(async () => {
    b = await SharingWorld.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '200ms' } });
    await b.addUser('bob');
    server = await startFakeServer((request, response) => {
      if (request.path === '/ocm/token') {
        exchanges.push(new URLSearchParams(request.body).get('code')!);
        return replyJson(response, 200, { access_token: `for-${exchanges.at(-1)}`, expires_in: 300 });
      }
      if (request.path !== '/.well-known/ocm') return replyJson(response, 404, {});
      return replyJson(response, 200, {
        enabled: true,
        apiVersion: '1.4.0',
        endPoint: `${server.url}/ocm`,
        tokenEndPoint: `${server.url}/ocm/token`,
        provider: 'Hub',
        resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/' } }],
        capabilities: ['exchange-token'],
        criteria: [],
      });
    });
  }, 300_000);
  afterAll(async () => {
    await b?.stop();
    await server?.close();
  });
  beforeEach(() => {
    exchanges = [];
    run++;
  });

  const webapp = (more: Entry = {}): Entry => ({
    uri: `${server.url}/app?of=1`,
    targets: ['blank', 'iframe'],
    permissions: ['view', 'something-new'],
    requirements: [MUST],
    sharedSecret: `SecretOfTheApp${run}`,
    appName: 'Hub',
    ...more,
  });
  const offer = (protocol: Entry): Promise<Response> => {
    const owner = `zoe@${server.url}`;
    const names = { name: `notebook${run}`, providerId: String(run), owner, sender: owner };
    const kinds = { shareType: 'user', resourceType: 'folder', protocol: { name: 'multi', ...protocol } };
    const body = JSON.stringify({ shareWith: `bob@${new URL(b.gateway.url).host}`, ...names, ...kinds });
    const headers = { 'content-type': 'application/json' };
    return fetch(`${b.gateway.url}/ocm/shares`, { method: 'POST', headers, body });
  };
  const placeOf = ({ webapp: app }: Entry): string => (app as Entry).open as string;
  const rootOf = async (): Promise<string> => {
    const headers = { ...asBob, depth: '1' };
    return (await fetch(`${b.gateway.url}/remote.php/webdav/`, { method: 'PROPFIND', headers })).text();
  };

  it('alone has no place among the files, and is opened, confirmed, left', async () => {
    expect((await offer({ webapp: webapp() })).status).toBe(201);
    const taken = await accept(b);
    expect(taken).toMatchObject({ mountpoint: '', webapp: { app_name: 'Hub', permissions: ['view'] } });
    expect(taken).not.toHaveProperty('file_id');
    expect(await rootOf()).not.toContain('notebook');
    const { action, fields } = formIn(await open(b, placeOf(taken)));
    expect([action, fields.access_token]).toEqual([`${server.url}/app?of=1`, `for-SecretOfTheApp${run}`]);
    await eventually('its server confirmed it', async () => (await received(b))[0]!.verified === true);
    expect((await received(b))[0]!.unreachable_since).toBeNull();
    await b.must('DELETE', `${REMOTE_SHARES}/${String(taken.id)}`, { as: 'bob' });
    expect((await open(b, placeOf(taken))).status).toBe(404);
  });

  it('beside files keeps its own secret, and both their requirements', async () => {
    const webdav = { uri: `${server.url}/dav/1`, sharedSecret: `SecretOfFiles${run}`, permissions: ['read'] };
    expect((await offer({ webdav, webapp: webapp() })).status).toBe(201);
    const taken = await accept(b);
    expect(taken.mountpoint).toBe(`/notebook${run}`);
    await open(b, placeOf(taken));
    expect(exchanges).toContain(`SecretOfTheApp${run}`);
  });

  it('at another host is not opened, unless the operator named that host', async () => {
    expect((await offer({ webapp: webapp({ uri: 'http://hub.elsewhere.example:8000/app' }) })).status).toBe(
      201,
    );
    const taken = await accept(b);
    exchanges = [];
    const refused = await open(b, placeOf(taken));
    expect([refused.status, exchanges, refused.text.includes('hub.elsewhere.example')]).toEqual([
      403,
      [],
      false,
    ]);
    await b.set(SETTINGS, 'webapp_hosts', '["hub.elsewhere.example:8000"]');
    await eventually('the host', async () => formIn(await open(b, placeOf(taken))).action !== '');
  });

  it('that demands a second factor opens with one only', async () => {
    const requirements = [MUST, 'must-use-mfa'];
    expect((await offer({ webapp: webapp({ requirements }) })).status).toBe(201);
    const taken = await accept(b);
    exchanges = [];
    expect([(await open(b, placeOf(taken))).status, exchanges]).toEqual([403, []]);
  });

  it.each<[string, Entry]>([
    ['in the older form', { uri: undefined, uriTemplate: 'https://x.example/{id}', viewMode: 'view' }],
    ['with another presentation', { targets: ['iframe'] }],
    ['with unknown permissions alone', { permissions: ['dance'] }],
    ['without an exchange of its secret', { requirements: [] }],
    ['at no web address', { uri: 'javascript:alert(1)' }],
    ['at an address with a password', { uri: 'http://a:b@cloud.example/' }],
  ])('%s is not taken alone, and files beside it are taken without it', async (_what, changes) => {
    expect((await offer({ webapp: webapp(changes) })).status).toBe(501);
    const webdav = { uri: `${server.url}/dav/1`, sharedSecret: `SecretOfFiles${run}`, permissions: ['read'] };
    expect((await offer({ webdav, webapp: webapp(changes) })).status).toBe(201);
    expect(await accept(b)).not.toHaveProperty('webapp');
  });

  it('is not taken while applications are switched off', async () => {
    await b.set(SETTINGS, 'incoming_webapps', 'no');
    await eventually('the setting', async () => (await offer({ webapp: webapp() })).status === 501);
  });
});
