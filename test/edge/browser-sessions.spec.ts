import { createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { administrationOn } from '#identity';
import { Browser, PASSWORD } from './browser';

const FILES = '/remote.php/dav/files/alice';

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

async function signedIn(user?: string): Promise<Browser> {
  const browser = new Browser(gateway.url);
  expect((await browser.signIn(user)).status).toBe(303);
  return browser;
}

describe('the sign-in page', () => {
  it('is the target of a redirect from the first page, and leads back to it with a session', async () => {
    const browser = new Browser(gateway.url);
    const start = await browser.fetch('/');
    expect([start.status, start.headers.get('location')]).toEqual([303, '/login']);
    const form = await browser.fetch('/login');
    expect(form.status).toBe(200);
    expect(await form.text()).toContain('name="password"');
    const done = await browser.signIn();
    expect([done.status, done.headers.get('location')]).toEqual([303, '/']);
    expect((await browser.fetch('/')).headers.get('location')).toBe('/web/files');
    expect((await browser.fetch('/login')).headers.get('location')).toBe('/');
  });

  it('sets a cookie for this host only, hidden from scripts and other sites', async () => {
    const [cookie] = (await new Browser(gateway.url).signIn()).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-drawbridge=[\w-]{43}; /);
    const attributes = cookie!.split('; ').slice(1).sort();
    expect(attributes).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  it.each([
    ['a wrong password', 'alice', 'wrong', 403],
    ['an unknown user', 'nobody', PASSWORD, 403],
    ['an empty form', '', '', 403],
  ])('reports a failed sign-in without setting a cookie: %s', async (_case, user, password, status) => {
    const reply = await new Browser(gateway.url).signIn(user, password);
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([status, []]);
    expect(await reply.text()).toContain('role="alert"');
  });

  it('leads to the requested page, and to no other server', async () => {
    expect((await new Browser(gateway.url).signIn('alice', PASSWORD, '/f/1')).headers.get('location')).toBe(
      '/f/1',
    );
    expect(
      (await new Browser(gateway.url).signIn('alice', PASSWORD, '//evil.example/')).headers.get('location'),
    ).toBe('/');
  });

  it('refuses a form from a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const body = new URLSearchParams({ user: 'alice', password: PASSWORD });
    const reply = await fetch(`${gateway.url}/login`, { method: 'POST', headers, body, redirect: 'manual' });
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []]);
  });

  it('demands TLS if a browser would not keep the cookie', async () => {
    const env = { PUBLIC_URL: 'http://files.example.org' };
    const other = await startGateway({ env });
    try {
      const body = new URLSearchParams({ user: 'alice', password: PASSWORD });
      for (const init of [{}, { method: 'POST', body }]) {
        const reply = await fetch(`${other.url}/login`, init);
        expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []]);
        expect(await reply.text()).toContain('PUBLIC_URL');
      }
    } finally {
      await other.stop();
    }
  });
});

describe('a page for signed-in people', () => {
  const HTML = { accept: 'text/html' };

  it.each(['/f/1', '/index.php/f/1?details', '/apps/files', '/index.php/apps/files?saved=yes'])(
    'leads browsers without a session to the sign-in, and other clients to credentials: %s',
    async (page) => {
      const browser = new Browser(gateway.url);
      const led = await browser.fetch(page, { headers: HTML });
      expect([led.status, led.headers.get('location')]).toEqual([
        303,
        `/login?next=${encodeURIComponent(page)}`,
      ]);
      expect((await browser.fetch(page)).headers.get('www-authenticate')).toContain('Basic');
    },
  );

  it('has a form that a session can send, for saving a link', async () => {
    const browser = await signedIn();
    const page = await (await browser.fetch('/index.php/apps/files', { headers: HTML })).text();
    const requesttoken = /name="requesttoken" value="(.*?)"/.exec(page)![1]!;
    const save = (fields: Record<string, string>): Promise<Response> => {
      const body = new URLSearchParams({ url: 'no link', ...fields });
      return browser.fetch('/index.php/apps/files_sharing/external', { method: 'POST', headers: HTML, body });
    };
    const wrong: Record<string, string>[] = [{}, { requesttoken: 'another' }];
    for (const fields of wrong) {
      const refused = await save(fields);
      expect([refused.status, refused.headers.get('location')]).toEqual([
        303,
        '/index.php/apps/files?url=no+link',
      ]);
    }
    const saved = await save({ requesttoken });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, expect.stringContaining('?saved=')]);
  });
});

describe('the session of a browser', () => {
  it('reads and writes like the account, by WebDAV and OCS', async () => {
    const browser = await signedIn();
    expect(await browser.change('MKCOL', `${FILES}/by-session`)).toBe(201);
    const listing = await browser.fetch(`${FILES}/`, { method: 'PROPFIND', headers: { depth: '1' } });
    expect(await listing.text()).toContain('by-session');
    const user = await browser.fetch('/ocs/v2.php/cloud/user?format=json', {
      headers: { 'ocs-apirequest': 'true' },
    });
    expect(((await user.json()) as { ocs: { data: { id: string } } }).ocs.data.id).toBe('alice');
    expect(await browser.status('/remote.php/dav/files/bob/')).toBe(404);
  });

  it.each([
    ['no token', {}],
    ['the token of another session', { requesttoken: 'x'.repeat(43) }],
  ])('changes nothing with %s', async (_case, headers: Record<string, string>) => {
    const browser = await signedIn();
    const made = await browser.fetch(`${FILES}/forged`, { method: 'MKCOL', headers });
    expect(made.status).toBe(401);
    expect(await browser.status(`${FILES}/forged`)).toBe(404);
    const shared = await browser.fetch('/ocs/v2.php/apps/files_sharing/api/v1/shares', {
      method: 'POST',
      headers,
    });
    expect(shared.status).toBe(401);
    const ended = await browser.fetch('/web/sessions', { method: 'DELETE', headers });
    expect(ended.status).toBe(401);
  });

  it('downloads chosen files by a form with its token only', async () => {
    const browser = await signedIn();
    await browser.change('MKCOL', `${FILES}/chosen`);
    const download = async (fields: Record<string, string>): Promise<number> => {
      const body = new URLSearchParams({ 'files[]': 'chosen', ...fields });
      const path = '/index.php/apps/files/ajax/download.php?dir=/';
      return (await browser.fetch(path, { method: 'POST', body })).status;
    };
    expect(await download({ requesttoken: browser.requestToken })).toBe(200);
    expect(await download({ requesttoken: 'x'.repeat(43) })).toBe(401);
    expect(await download({})).toBe(401);
  });

  it('is ignored if the request has other credentials', async () => {
    const browser = await signedIn();
    const authorization = `Basic ${Buffer.from(`bob:${PASSWORD}`).toString('base64')}`;
    const reply = await browser.fetch('/web/session', { headers: { authorization } });
    expect(await reply.json()).toMatchObject({ uid: 'bob', requestToken: null });
    const wrong = await browser.fetch('/web/session', { headers: { authorization: 'Basic bm9uZTpub25l' } });
    expect(wrong.status).toBe(401);
  });

  it('is ignored if the cookie is not ours', async () => {
    const browser = new Browser(gateway.url);
    for (const cookie of [
      '__Host-drawbridge=short',
      `__Host-drawbridge=${'A'.repeat(43)}`,
      'other=1',
      ';;=',
      '%',
    ]) {
      browser.cookie = cookie;
      expect(await browser.status()).toBe(401);
    }
  });

  it('ends when the browser signs out, and only with the token of the page', async () => {
    const browser = await signedIn();
    const cookie = browser.cookie!;
    await browser.fetch('/logout', { method: 'POST', body: new URLSearchParams({ requesttoken: 'forged' }) });
    expect(await browser.status()).toBe(200);
    const body = new URLSearchParams({ requesttoken: browser.requestToken });
    await browser.fetch('/logout', { method: 'POST', body });
    expect(browser.cookie).toBeUndefined();
    browser.cookie = cookie;
    expect(await browser.status()).toBe(401);
  });

  it('gets a new secret with each sign-in, and the earlier one ends', async () => {
    const browser = await signedIn();
    const earlier = new Browser(gateway.url);
    earlier.cookie = browser.cookie;
    await browser.signIn();
    expect(browser.cookie).not.toBe(earlier.cookie);
    expect([await browser.status(), await earlier.status()]).toEqual([200, 401]);
  });

  it('ends with the password of its account, and while the account is disabled', async () => {
    const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
    await users.create({ uid: 'carol', password: PASSWORD });
    const browser = await signedIn('carol');
    await users.setEnabled('carol', false);
    expect(await browser.status()).toBe(401);
    await users.setEnabled('carol', true);
    expect(await browser.status()).toBe(200);
    await users.setPassword('carol', `${PASSWORD}, changed`);
    expect(await browser.status()).toBe(401);
  });

  it.each([
    ['was not used for the time of web/session_idle_minutes', "used_at = now() - interval '721 minutes'"],
    ['is older than web/session_days', "ends_at = now() - interval '1 second'"],
  ])('ends when it %s', async (_case, change) => {
    const browser = await signedIn();
    await test.database.dataSource.query(
      `UPDATE browser_session SET ${change} WHERE id = (SELECT max(id) FROM browser_session)`,
    );
    expect(await browser.status()).toBe(401);
  });

  it('is stored only as digests', async () => {
    const browser = await signedIn();
    const [, secret] = browser.cookie!.split('=');
    const rows = await test.database.dataSource.query<{ row: string }[]>(
      'SELECT s::text AS row FROM browser_session s',
    );
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret!).toString('hex'));
  });
});

describe('the sessions of an account', () => {
  it('are listed for the account, and ended one by one or all others at once', async () => {
    await test.database.dataSource.query(`DELETE FROM browser_session`);
    const [here, there, elsewhere] = [await signedIn(), await signedIn(), await signedIn()];
    const foreign = await signedIn('bob');
    const listed = await here.sessions();
    expect(listed).toHaveLength(3);
    const mine = listed.find(({ isCurrent }) => isCurrent)!;
    const [other] = await foreign.sessions();
    expect(await here.change('DELETE', `/web/sessions/${other!.id}`)).toBe(404);
    expect(await here.change('DELETE', '/web/sessions/0')).toBe(404);
    const theirs = (await there.sessions()).find(({ isCurrent }) => isCurrent)!;
    expect(await here.change('DELETE', `/web/sessions/${theirs.id}`)).toBe(200);
    expect([await here.status(), await there.status(), await elsewhere.status()]).toEqual([200, 401, 200]);
    expect(await here.change('DELETE', '/web/sessions')).toBe(200);
    expect((await here.sessions()).map(({ id }) => id)).toEqual([mine.id]);
    expect([await elsewhere.status(), await foreign.status()]).toEqual([401, 200]);
  });
});
