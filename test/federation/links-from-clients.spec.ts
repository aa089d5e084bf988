import { basicAuth, eventually } from '../../libs/testing/src';
import { PASSWORD, SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE = '/apps/files_sharing/api/v1/remote_shares';
const EXTERNAL = '/index.php/apps/files_sharing/external';
const ASK = '/index.php/apps/federatedfilesharing/askForFederatedShare';
const PENDING = '/index.php/apps/files_sharing/api/externalShares';

let here: SharingGateway;
let there: SharingGateway;
beforeAll(async () => {
  const env = { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '30s' };
  [here, there] = (await Promise.all(['here', 'there'].map(() => SharingGateway.start({ env })))) as [
    SharingGateway,
    SharingGateway,
  ];
  await here.addUsers('bob');
  await there.addUsers('alice');
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

let links = 0;

/** Fields with which the page of a link sends its visitor to their own server. */
async function link(form: Readonly<Record<string, string>> = {}) {
  const name = `linked-${(links += 1)}`;
  await there.dav('MKCOL', 'alice', `/${name}`);
  const made = await there.ocs('POST', SHARES, 'alice', { path: `/${name}`, shareType: '3', ...form });
  const { token, url } = made.data as { token: string; url: string };
  const page = { remote: there.gateway.url, token, owner: 'alice', ownerDisplayName: 'Alice', name };
  return { url, page };
}

type Sent = URLSearchParams | string | undefined;

async function call(
  method: string,
  path: string,
  body?: Sent,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const authorization = basicAuth('bob', PASSWORD);
  const init = { method, body, headers: { authorization, ...headers }, redirect: 'manual' as const };
  const reply = await fetch(here.gateway.url + path, init);
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const names = async (): Promise<unknown[]> =>
  (await here.ocs('GET', REMOTE, 'bob')).data.map(({ name }: { name: string }) => name);

describe("a link of another server, saved by ownCloud's web client", () => {
  it('is mounted after the right password', async () => {
    const { page } = await link({ password: 'open-sesame-please' });
    const wrong = await call('POST', EXTERNAL, new URLSearchParams({ ...page, password: 'wrong' }));
    expect(wrong.status).toBe(200);
    expect(JSON.parse(wrong.text)).toMatchObject({ status: 'error', data: { message: expect.any(String) } });
    const remote = `${page.remote}/?x#y`;
    const form = new URLSearchParams({ ...page, remote, password: 'open-sesame-please' });
    expect(JSON.parse((await call('POST', EXTERNAL, form)).text)).toEqual({ status: 'success' });
    expect(await names()).toContain(`/${page.name}`);
  });

  it('is found by the address of its server', async () => {
    const test = async (remote: string): Promise<unknown> =>
      JSON.parse(
        (await call('GET', `/apps/files_sharing/testremote?remote=${encodeURIComponent(remote)}`)).text,
      );
    expect(await test(new URL(there.gateway.url).host)).toBe('http');
    expect(await test('127.0.0.1:9')).toBe(false);
    expect(await test('no host')).toBe(false);
    expect(await test('')).toBe(false);
  });

  it('is accepted or declined like every offer, by the calls beside OCS', async () => {
    await there.dav('MKCOL', 'alice', '/one');
    await there.dav('MKCOL', 'alice', '/two');
    for (const path of ['/one', '/two'])
      await there.ocs('POST', SHARES, 'alice', {
        ...{ path, shareType: '6', shareWith: `bob@${new URL(here.gateway.url).host}` },
      });
    const pending = async (): Promise<{ id: number; name: string }[]> =>
      JSON.parse((await call('GET', PENDING)).text);
    await eventually('both offers', async () => (await pending()).length === 2);
    const [one, two] = await pending();
    expect((await call('POST', PENDING, JSON.stringify({ id: one!.id }))).text).toBe('[]');
    expect((await call('DELETE', `${PENDING}/${two!.id}`)).text).toBe('[]');
    expect((await call('DELETE', `${PENDING}/${two!.id}`)).status).toBe(404);
    expect((await call('POST', PENDING, 'id=x')).status).toBe(404);
    expect(await pending()).toEqual([]);
    expect(await names()).toEqual(expect.arrayContaining([one!.name]));
  });
});

describe("a link of another server, saved by Nextcloud's web client", () => {
  it('is mounted', async () => {
    const { page } = await link();
    const asked = await call('POST', ASK, JSON.stringify({ ...page, password: '' }));
    expect(asked.status).toBe(200);
    expect(JSON.parse(asked.text)).toEqual({ message: expect.any(String) });
    expect(await names()).toContain(`/${page.name}`);
  });

  it('is refused with a sentence', async () => {
    const { page } = await link();
    const asked = await call('POST', ASK, JSON.stringify({ ...page, token: 'NoSuchLinkHere1' }));
    expect(asked.status).toBe(400);
    expect(JSON.parse(asked.text).message).toContain('no such link');
  });
});

describe('the page for saving links of other servers', () => {
  const browser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'same-origin' };

  it('accepts a pasted address, and shows the result', async () => {
    const { url, page } = await link();
    const form = await call('GET', '/index.php/apps/files', undefined, browser);
    expect(form.text).toContain(`action="${EXTERNAL}"`);
    const sent = await call('POST', EXTERNAL, new URLSearchParams({ url, password: '' }), browser);
    expect(sent).toMatchObject({ status: 303 });
    expect(sent.headers.get('location')).toBe('/index.php/apps/files?saved=yes');
    expect((await call('GET', sent.headers.get('location')!)).text).toContain('It is saved');
    expect(await names()).toContain(`/${page.name}`);
    const other = await call('POST', EXTERNAL, new URLSearchParams({ url: 'x' }), browser);
    const again = (await call('GET', other.headers.get('location')!)).text;
    expect(again).toContain('no address of a public link');
    expect(again).toContain('value="x"');
    const german = { ...browser, 'accept-language': 'de' };
    const inGerman = (await call('GET', other.headers.get('location')!, undefined, german)).text;
    expect(inGerman).toContain('<html lang="de">');
    expect(inGerman).toContain('Das ist keine Adresse eines öffentlichen Links.');
    const ended = await fetch(here.gateway.url + EXTERNAL, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...browser, cookie: '__Host-drawbridge=ended' },
      body: new URLSearchParams({ url }),
    });
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/index.php/apps/files']);
    expect((await call('GET', '/apps/files?saved=<b>')).text).not.toContain('<b>');
  });

  it.each([
    ['POST', EXTERNAL],
    ['POST', ASK],
    ['GET', '/index.php/apps/files_sharing/testremote?remote=127.0.0.1'],
    ['GET', PENDING],
    ['POST', PENDING],
    ['DELETE', `${PENDING}/1`],
    ['GET', '/index.php/apps/files'],
  ])('asks for an account: %s %s', async (method, path) => {
    const reply = await fetch(here.gateway.url + path, { method, redirect: 'manual' });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
  });

  it.each([EXTERNAL, ASK, PENDING])('cannot be used by other sites’ pages: %s', async (path) => {
    const { page } = await link();
    const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await call('POST', path, new URLSearchParams({ ...page, id: '1' }), from)).status).toBe(403);
    expect(await names()).not.toContain(`/${page.name}`);
  });
});
