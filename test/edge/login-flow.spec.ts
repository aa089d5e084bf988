import { AccountDirectory, administrationOn } from '#identity';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { Browser, PASSWORD } from './browser';

let test: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url });
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  for (const uid of ['alice', 'bob']) await users.create({ uid, password: PASSWORD });
});
afterAll(async () => {
  await gateway.stop();
  await test.drop();
});

interface Begun {
  readonly poll: { readonly token: string; readonly endpoint: string };
  readonly login: string;
}

/** Begins as Nextcloud's desktop client does: an empty POST with its own user agent. */
async function begin(client = 'spec (Linux)'): Promise<Begun> {
  const headers = { 'content-length': '0', 'user-agent': client };
  const reply = await fetch(`${gateway.url}/index.php/login/v2`, { method: 'POST', headers });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Begun;
}

async function poll({ poll: { endpoint, token } }: Begun): Promise<Response> {
  return fetch(endpoint, { method: 'POST', body: new URLSearchParams({ token }) });
}

const pathOf = ({ login }: Begun): string => new URL(login).pathname;

async function signedIn(uid = 'alice'): Promise<Browser> {
  const browser = new Browser(gateway.url);
  expect((await browser.signIn(uid)).status).toBe(303);
  return browser;
}

async function grant(browser: Browser, begun: Begun, fields: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ requesttoken: browser.requestToken, ...fields });
  return browser.fetch(pathOf(begun), { method: 'POST', body });
}

it('leads the client through sign-in and consent to an app password, once', async () => {
  const begun = await begin();
  expect((await poll(begun)).status).toBe(404);
  const browser = new Browser(gateway.url);
  const away = await browser.fetch(pathOf(begun));
  expect(away.status).toBe(303);
  const next = new URL(away.headers.get('location')!, gateway.url).searchParams.get('next')!;
  const back = await browser.signIn('alice', PASSWORD, next);
  expect(back.headers.get('location')).toBe(pathOf(begun));
  const page = await (await browser.fetch(pathOf(begun))).text();
  expect(page).toContain('spec (Linux)');
  expect(page).toContain(browser.requestToken);
  expect((await poll(begun)).status).toBe(404);
  expect((await grant(browser, begun)).status).toBe(200);
  const reply = await poll(begun);
  const { server, loginName, appPassword } = (await reply.json()) as Record<string, string>;
  expect([reply.status, server, loginName]).toEqual([200, gateway.url, 'alice']);
  const headers = { authorization: basicAuth('alice', appPassword!), depth: '0' };
  const files = await fetch(`${server}/remote.php/dav/files/alice/`, { method: 'PROPFIND', headers });
  expect(files.status).toBe(207);
  expect((await poll(begun)).status).toBe(404);
  expect((await browser.fetch(pathOf(begun))).status).toBe(403);
});

it('speaks German to a German browser, on its pages and about failures', async () => {
  const begun = await begin();
  const browser = await signedIn();
  const headers = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' };
  const open = async (path: string): Promise<string> => (await browser.fetch(path, { headers })).text();
  const page = await open(pathOf(begun));
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('Eine App verbinden');
  expect(await open('/login/v2/flow/unknown')).toContain('Diese Adresse gilt nicht mehr');
  const nothing = await open('/login/oidc');
  expect(nothing).toContain('<html lang="de">');
  expect(nothing).toContain('An dieser Adresse ist nichts.');
  const body = new URLSearchParams({ requesttoken: browser.requestToken });
  const granted = await browser.fetch(pathOf(begun), { method: 'POST', headers, body });
  expect(await granted.text()).toContain('Die App ist verbunden');
});

it('can grant reading only', async () => {
  const begun = await begin();
  await grant(await signedIn(), begun, { readOnly: 'yes' });
  const { appPassword } = (await (await poll(begun)).json()) as Record<string, string>;
  const headers = { authorization: basicAuth('alice', appPassword!) };
  const put = await fetch(`${gateway.url}/remote.php/webdav/x`, { method: 'PUT', headers, body: 'x' });
  expect(put.status).toBe(403);
});

it('gives nothing without the token of the page, or without a session', async () => {
  const begun = await begin();
  const browser = await signedIn();
  expect((await grant(browser, begun, { requesttoken: 'wrong' })).status).toBe(303);
  expect((await grant(new Browser(gateway.url), begun)).status).toBe(303);
  const crossSite = await fetch(begun.login, {
    method: 'POST',
    headers: { cookie: browser.cookie!, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ requesttoken: browser.requestToken }),
  });
  expect(crossSite.status).toBe(403);
  expect((await poll(begun)).status).toBe(404);
});

it('belongs to the account that grants it first', async () => {
  const begun = await begin();
  expect((await grant(await signedIn('bob'), begun)).status).toBe(200);
  expect((await grant(await signedIn('alice'), begun)).status).toBe(403);
  expect(((await (await poll(begun)).json()) as Record<string, string>).loginName).toBe('bob');
});

it('ends after twenty minutes, and gives nothing to a disabled account', async () => {
  const [late, disabled] = [await begin(), await begin()];
  const browser = await signedIn();
  await grant(browser, disabled);
  await test.database.dataSource.query(
    `UPDATE login_flow SET expires_at = expires_at - interval '20 minutes' WHERE uid IS NULL`,
  );
  expect((await browser.fetch(pathOf(late))).status).toBe(403);
  expect((await grant(browser, late)).status).toBe(403);
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  await users.setEnabled('alice', false);
  try {
    expect((await poll(disabled)).status).toBe(404);
  } finally {
    await users.setEnabled('alice', true);
  }
});

it('gives nothing to a disabled account that this process still remembers as enabled', async () => {
  const begun = await begin();
  await grant(await signedIn(), begun);
  const directory = gateway.instance.app.nest.get(AccountDirectory, { strict: false });
  const remembered = await directory.find('alice');
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  await users.setEnabled('alice', false);
  const memory = jest.spyOn(directory, 'find').mockResolvedValue(remembered);
  try {
    expect((await poll(begun)).status).toBe(404);
  } finally {
    memory.mockRestore();
    await users.setEnabled('alice', true);
  }
});

it.each(['', 'x', 'a'.repeat(64), 'a'.repeat(100_000)])('accepts no invented token %#', async (token) => {
  const reply = await fetch(`${gateway.url}/login/v2/poll`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
  });
  expect(reply.status).toBe(404);
  const page = await fetch(`${gateway.url}/login/v2/flow/${token.slice(0, 1000) || 'x'}`, {
    redirect: 'manual',
  });
  expect(page.status).toBe(403);
});

it('shows names of clients as text, and stores no token', async () => {
  const begun = await begin('<script>alert(1)</script>');
  const page = await (await (await signedIn()).fetch(pathOf(begun))).text();
  expect(page).not.toContain('<script>');
  expect(page).toContain('&lt;script&gt;');
  const rows = await test.database.dataSource.query<object[]>('SELECT f::text AS text FROM login_flow f');
  const kept = JSON.stringify(rows);
  expect(kept).toContain('alert(1)');
  for (const token of [begun.poll.token, pathOf(begun).split('/').at(-1)!]) expect(kept).not.toContain(token);
});

it('is refused to an address that begins it too often, and stores no row for refused calls', async () => {
  const rows = async (): Promise<number> =>
    (await test.database.dataSource.query<object[]>('SELECT FROM login_flow')).length;
  const before = await rows();
  const statuses: number[] = [];
  while (statuses.length < 1000 && statuses.at(-1) !== 429)
    statuses.push((await fetch(`${gateway.url}/index.php/login/v2`, { method: 'POST' })).status);
  expect([...new Set(statuses)]).toEqual([200, 429]);
  expect((await rows()) - before).toBe(statuses.length - 1);
});
