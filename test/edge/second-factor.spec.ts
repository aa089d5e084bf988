import { administrationOn } from '#identity';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { Browser, PASSWORD } from './browser';
import { totpCode } from './totp';

let test: TestDatabase;
let gateway: TestGateway;
let count = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url });
});
afterAll(async () => {
  await gateway.stop();
  await test.drop();
});

async function addUser(group?: string): Promise<string> {
  const { users, groups } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  const uid = `person${++count}`;
  await users.create({ uid, password: PASSWORD });
  if (group !== undefined) {
    await groups.create(group);
    await test.database.dataSource.query('INSERT INTO group_member (gid, uid) VALUES ($1, $2)', [group, uid]);
  }
  return uid;
}

const json = (browser: Browser, method: string, path: string, body?: object): Promise<Response> =>
  browser.fetch(path, {
    method,
    headers: { requesttoken: browser.requestToken, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

interface Equipped {
  readonly uid: string;
  readonly browser: Browser;
  readonly secret: string;
  readonly recoveryCodes: string[];
  /** The code that the set-up used. */
  readonly usedCode: string;
}

/** A user with a second factor, in the browser of its set-up. The set-up used the code of the previous period. */
async function equipped(group?: string): Promise<Equipped> {
  const uid = await addUser(group);
  const browser = new Browser(gateway.url);
  await browser.signIn(uid);
  const proposal = (await (await browser.fetch('/web/second-factor/proposal')).json()) as {
    secret: string;
    setup: string;
  };
  const { secret, setup } = proposal;
  const usedCode = totpCode(secret);
  const done = await json(browser, 'PUT', '/web/second-factor', { setup, code: usedCode });
  expect(done.status).toBe(200);
  const { recoveryCodes } = (await done.json()) as { recoveryCodes: string[] };
  return { uid, browser, secret, recoveryCodes, usedCode };
}

/** The page that follows the right password. @returns its form */
async function pendingOf(browser: Browser, uid: string): Promise<string> {
  const body = new URLSearchParams({ user: uid, password: PASSWORD });
  const page = await browser.fetch('/login', { method: 'POST', body });
  expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
  return /name="pending" value="([\w-]+)"/.exec(await page.text())![1]!;
}

async function showFactor(browser: Browser, pending: string, code: string): Promise<Response> {
  const reply = await browser.fetch('/login', {
    method: 'POST',
    body: new URLSearchParams({ pending, code, next: '/web/trash' }),
  });
  if (reply.status === 303) browser.requestToken = (await browser.current()).requestToken;
  return reply;
}

const dav = async (uid: string, password: string): Promise<number> =>
  (
    await fetch(`${gateway.url}/remote.php/dav/files/${uid}/`, {
      method: 'PROPFIND',
      headers: { authorization: basicAuth(uid, password), depth: '0' },
    })
  ).status;

describe('a sign-in with a second factor', () => {
  it('asks for a code after the password, and accepts each once', async () => {
    const { uid, secret, usedCode } = await equipped();
    const browser = new Browser(gateway.url);
    const pending = await pendingOf(browser, uid);
    expect(await browser.status()).toBe(401);
    const used = await showFactor(browser, pending, usedCode);
    expect([used.status, used.headers.getSetCookie()]).toEqual([403, []]);
    const code = totpCode(secret, 1);
    const done = await showFactor(browser, pending, code);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/web/trash']);
    expect(await browser.status()).toBe(200);
    expect((await showFactor(new Browser(gateway.url), pending, code)).status).toBe(403);
  });

  it('accepts a recovery code instead, once, and only of its own account', async () => {
    const [one, other] = [await equipped(), await equipped()];
    const [browser, code] = [new Browser(gateway.url), one.recoveryCodes[0]!];
    const pending = await pendingOf(browser, one.uid);
    expect((await showFactor(browser, pending, other.recoveryCodes[0]!)).status).toBe(403);
    expect((await showFactor(browser, pending, code.toUpperCase())).status).toBe(303);
    expect((await showFactor(new Browser(gateway.url), pending, code)).status).toBe(403);
    const state: unknown = await (await browser.fetch('/web/second-factor')).json();
    expect(state).toMatchObject({ since: expect.any(String), recoveryCodes: 9, passkeys: [] });
  });

  it('continues only after a recent right password', async () => {
    const { uid, secret } = await equipped();
    const browser = new Browser(gateway.url);
    const pending = await pendingOf(browser, uid);
    for (const forged of ['', 'abc', `${pending.slice(0, -4)}AAAA`])
      expect((await showFactor(browser, forged, totpCode(secret, 1))).status).toBe(403);
    await administrationOn(test.database, { COMPATIBILITY: 'documented' }).users.setPassword(
      uid,
      'a new one of theirs',
    );
    const reply = await showFactor(browser, pending, totpCode(secret, 1));
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []]);
  });

  it('limits attempts, even with right passwords between them', async () => {
    const { uid, secret } = await equipped();
    const browser = new Browser(gateway.url);
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++)
      statuses.push((await showFactor(browser, await pendingOf(browser, uid), '000000')).status);
    expect(new Set(statuses.slice(0, 10))).toEqual(new Set([403]));
    expect(statuses[10]).toBe(429);
    expect((await showFactor(browser, await pendingOf(browser, uid), totpCode(secret, 1))).status).toBe(429);
  });
});

it('refuses the main password of clients, and accepts app passwords', async () => {
  const { uid, browser } = await equipped();
  expect(await dav(uid, PASSWORD)).toBe(401);
  const generated = await fetch(`${gateway.url}/token/generate`, {
    method: 'POST',
    body: new URLSearchParams({ user: uid, password: PASSWORD }),
  });
  expect(generated.status).toBe(401);
  const made = await json(browser, 'POST', '/web/app-passwords', { name: 'phone', scopes: ['files'] });
  expect(await dav(uid, ((await made.json()) as { secret: string }).secret)).toBe(207);
});

it('is shown in the record of the user', async () => {
  const shown = async (uid: string): Promise<unknown> => {
    const path = `/ocs/v2.php/cloud/users/${uid}?format=json`;
    const reply = await fetch(gateway.url + path, { headers: { authorization: gateway.adminAuth } });
    const { ocs } = (await reply.json()) as { ocs: { data: Record<string, unknown> } };
    return ocs.data.two_factor_auth_enabled;
  };
  expect(await shown((await equipped()).uid)).toBe('true');
  expect(await shown(await addUser())).toBe('false');
});

it('records the strength of sessions, and of app passwords made in them', async () => {
  const { uid, browser } = await equipped();
  const strengthsOf = async (table: string): Promise<unknown[]> =>
    (await test.database.dataSource.query(`SELECT strength FROM ${table} WHERE uid = $1`, [uid])).map(
      ({ strength }: { strength: string }) => strength,
    );
  expect(await strengthsOf('browser_session')).toEqual(['two_factors']);
  await json(browser, 'POST', '/web/app-passwords', { name: 'phone', scopes: ['files'] });
  expect(await strengthsOf('app_password')).toEqual(['two_factors']);
  const plain = await addUser();
  const other = new Browser(gateway.url);
  await other.signIn(plain);
  await json(other, 'POST', '/web/app-passwords', { name: 'phone', scopes: ['files'] });
  const rows: unknown = await test.database.dataSource.query(
    'SELECT strength FROM app_password WHERE uid = $1 UNION ALL SELECT strength FROM browser_session WHERE uid = $1',
    [plain],
  );
  expect(rows).toEqual([{ strength: 'one_factor' }, { strength: 'one_factor' }]);
});

describe('the second factor of an account', () => {
  it('is set up with a code of the app, and ends the other sessions', async () => {
    const uid = await addUser();
    const [browser, other] = [new Browser(gateway.url), new Browser(gateway.url)];
    for (const one of [browser, other]) await one.signIn(uid);
    const { secret, setup } = (await (await browser.fetch('/web/second-factor/proposal')).json()) as {
      secret: string;
      setup: string;
    };
    const set = (code: string, by = browser, text = setup): Promise<Response> =>
      json(by, 'PUT', '/web/second-factor', { setup: text, code });
    expect((await set(totpCode(secret, 5))).status).toBe(403);
    expect((await set(totpCode(secret), browser, 'forged')).status).toBe(400);
    const stranger = new Browser(gateway.url);
    await stranger.signIn(await addUser());
    expect((await set(totpCode(secret), stranger)).status).toBe(400);
    expect((await set(totpCode(secret))).status).toBe(200);
    expect([await browser.status(), await other.status()]).toEqual([200, 401]);
    expect((await set(totpCode(secret, 1))).status).toBe(409);
  });

  it('is removed only with a code, and recovery codes are renewed with one', async () => {
    const { uid, browser, secret, recoveryCodes, usedCode } = await equipped();
    const post = (path: string, code: string): Promise<Response> =>
      json(browser, 'POST', `/web/second-factor/${path}`, { code });
    expect((await post('removal', usedCode)).status).toBe(403);
    const renewed = (await (await post('recovery-codes', totpCode(secret, 1))).json()) as {
      recoveryCodes: string[];
    };
    expect(renewed.recoveryCodes).toHaveLength(10);
    expect((await post('removal', recoveryCodes[0]!)).status).toBe(403);
    expect((await post('removal', renewed.recoveryCodes[0]!)).status).toBe(200);
    expect(await dav(uid, PASSWORD)).toBe(207);
  });

  it('is in the audit log, without codes and secrets', async () => {
    const { uid, browser, secret, recoveryCodes } = await equipped();
    await json(browser, 'POST', '/web/second-factor/removal', { code: recoveryCodes[0]! });
    const rows: { action: string }[] = await test.database.dataSource.query(
      'SELECT * FROM audit_event WHERE object_id = $1 ORDER BY id',
      [uid],
    );
    expect(rows.map(({ action }) => action).filter((action) => action.startsWith('second-factor'))).toEqual([
      'second-factor.set-up',
      'second-factor.new-recovery-codes',
      'second-factor.recover',
      'second-factor.remove',
    ]);
    const text = JSON.stringify(rows);
    for (const kept of [secret, ...recoveryCodes]) expect(text).not.toContain(kept);
  });
});

describe('a group whose members need a second factor', () => {
  beforeAll(async () => {
    await test.database.dataSource.query(
      `INSERT INTO setting (app, key, value) VALUES ('system', 'second_factor_groups', '["careful"]')`,
    );
  });
  beforeEach(() => test.database.dataSource.query(`DELETE FROM user_group WHERE gid = 'careful'`));

  it('allows a session without one only the set-up', async () => {
    const uid = await addUser('careful');
    const browser = new Browser(gateway.url);
    expect((await browser.signIn(uid)).status).toBe(303);
    expect(await (await browser.fetch('/web/session')).json()).toMatchObject({
      uid,
      lacksSecondFactor: true,
    });
    for (const path of ['/web/sessions', '/web/app-passwords', `/remote.php/dav/files/${uid}/`])
      expect((await browser.fetch(path)).status).toBe(403);
    expect((await browser.fetch('/ocs/v2.php/cloud/user')).status).toBe(403);
    const page = await browser.fetch('/f/1', { headers: { accept: 'text/html' } });
    expect(page.headers.get('location')).toBe('/login?next=%2Ff%2F1');
    expect(await dav(uid, PASSWORD)).toBe(401);
  });

  it('leads such a session from the sign-in to the set-up, and then to its page', async () => {
    const browser = new Browser(gateway.url);
    await browser.signIn(await addUser('careful'));
    const locationOf = async (query: string): Promise<string | null> =>
      (await browser.fetch(`/login${query}`)).headers.get('location');
    const query = `?next=${encodeURIComponent('/s/token?path=/plans')}`;
    expect(await locationOf(query)).toBe(`/web/settings/second-factor${query}`);
    expect(await locationOf('?next=//elsewhere.example')).toBe('/web/settings/second-factor');
  });

  it('allows everything to the session of its set-up', async () => {
    const { browser } = await equipped('careful');
    expect(await (await browser.fetch('/web/session')).json()).toMatchObject({ lacksSecondFactor: false });
    expect((await browser.fetch('/web/app-passwords')).status).toBe(200);
  });
});
