import { Writable } from 'node:stream';
import pg from 'pg';
import { administrationOn } from '#identity';
import { createLogger } from '#platform';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  startGateway,
  startTraceCollector,
  type TestDatabase,
  type TestGateway,
  type TraceCollector,
} from '#testing';
import { Browser, PASSWORD } from './browser';

const FILES = '/remote.php/dav/files/alice';
const CORE = '/ocs/v2.php/core';

let test: TestDatabase;
let gateway: TestGateway;
let replica: TestGateway;
let collector: TraceCollector;
let browser: Browser;
const logged: string[] = [];
/** Secrets and tokens of this spec, which must appear nowhere afterwards. */
const secrets: string[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  collector = await startTraceCollector();
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const env = { ENCRYPTION_KEY: 'ab'.repeat(32), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const logger = createLogger('trace', sink);
  gateway = await startGateway({ databaseUrl: test.url, env: { ...env, LOG_LEVEL: 'trace' }, logger });
  replica = await startGateway({ databaseUrl: test.url, env });
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  await users.create({ uid: 'alice', password: PASSWORD });
  browser = new Browser(gateway.url);
  await browser.signIn();
});
afterAll(async () => {
  await replica?.stop();
  await gateway?.stop();
  await collector?.close();
  await test.drop();
});

interface Wish {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly readOnly?: boolean;
  readonly expiresAt?: string | null;
}

async function send(method: string, path: string, body: unknown): Promise<Response> {
  const headers = { requesttoken: browser.requestToken, 'content-type': 'application/json' };
  return browser.fetch(path, { method, headers, body: JSON.stringify(body) });
}

const wishOf = (wish: Wish): Wish => ({ name: 'phone', scopes: ['files', 'sharing'], ...wish });

async function made(wish: Wish = {}): Promise<{ id: number; secret: string }> {
  const reply = await send('POST', '/web/app-passwords', wishOf(wish));
  expect(reply.status).toBe(201);
  const created = (await reply.json()) as { id: number; secret: string };
  secrets.push(created.secret);
  return created;
}

const status = async (
  authorization: string,
  path = `${FILES}/`,
  method = 'PROPFIND',
  at = gateway,
): Promise<number> => {
  const reply = await fetch(at.url + path, { method, headers: { authorization, depth: '0' } });
  await reply.text();
  return reply.status;
};

async function call(
  method: string,
  path: string,
  authorization: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; secret: string }> {
  const url = `${gateway.url}${path}?format=json`;
  const reply = await fetch(url, { method, headers: { authorization, ...headers } });
  const { ocs } = (await reply.json()) as { ocs: { data: { apppassword?: string } } };
  const secret = ocs.data.apppassword ?? '';
  if (secret) secrets.push(secret);
  return { status: reply.status, secret };
}

describe('the page of app passwords', () => {
  it('makes them, shows their secrets once, and lists, changes and revokes them', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, secret } = await made({ name: 'tablet', expiresAt });
    expect(secret).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){5}$/);
    const listed = await (await browser.fetch('/web/app-passwords')).text();
    expect(listed).not.toContain(secret);
    expect(JSON.parse(listed)).toMatchObject({
      appPasswords: [
        { id, name: 'tablet', scopes: ['files', 'sharing'], readOnly: false, expiresAt, usedAt: null },
      ],
    });
    expect(await status(basicAuth('alice', secret))).toBe(207);
    const change = wishOf({ name: 'old tablet', scopes: ['sharing'], expiresAt: null });
    expect((await send('PUT', `/web/app-passwords/${id}`, change)).status).toBe(200);
    expect(await status(basicAuth('alice', secret))).toBe(403);
    expect(await browser.change('DELETE', `/web/app-passwords/${id}`)).toBe(200);
    expect(await status(basicAuth('alice', secret))).toBe(401);
    expect(await browser.change('DELETE', `/web/app-passwords/${id}`)).toBe(404);
  });

  it.each<[string, Wish]>([
    ['without a name', { name: ' ' }],
    ['with a name that is too long', { name: 'x'.repeat(129) }],
    ['without a scope', { scopes: [] }],
    ['with a scope that is none', { scopes: ['files', 'everything'] }],
    ['with an end that is over', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['with an end that is no time', { expiresAt: 'tomorrow' }],
  ])('refuses to make one %s', async (_case, wish) => {
    expect((await send('POST', '/web/app-passwords', wishOf(wish))).status).toBe(400);
  });

  it('refuses to make one for the page of another site, or for an app password', async () => {
    const { secret } = await made({ scopes: ['files', 'sharing', 'administration'] });
    expect(await browser.change('POST', '/web/app-passwords', { requesttoken: 'wrong' })).toBe(401);
    for (const path of ['/web/app-passwords', '/index.php/settings/personal/authtokens'])
      expect(await status(basicAuth('alice', secret), path, 'POST')).toBe(403);
    const form = new URLSearchParams({ user: 'alice', password: secret });
    const signIn = await fetch(`${gateway.url}/login`, { method: 'POST', body: form, redirect: 'manual' });
    expect(signIn.status).toBe(403);
  });
});

describe('app passwords', () => {
  it('are changed and revoked at every replica at once', async () => {
    const { id, secret } = await made();
    const there = (): Promise<number> => status(basicAuth('alice', secret), `${FILES}/`, 'PROPFIND', replica);
    expect(await there()).toBe(207);
    expect((await send('PUT', `/web/app-passwords/${id}`, wishOf({ scopes: ['sharing'] }))).status).toBe(200);
    await eventually('the scopes are heard', async () => (await there()) === 403);
    await browser.change('DELETE', `/web/app-passwords/${id}`);
    await eventually('the end is heard', async () => (await there()) === 401);
  });

  it('change nothing if they are read-only', async () => {
    const auth = basicAuth('alice', (await made({ readOnly: true })).secret);
    expect(await status(auth)).toBe(207);
    for (const method of ['PUT', 'MKCOL', 'DELETE', 'PROPPATCH', 'LOCK', 'MOVE', 'COPY', 'POST'])
      expect([method, await status(auth, `${FILES}/x`, method)]).toEqual([method, 403]);
  });

  it('cannot read the key of signed addresses, nor change the main password', async () => {
    const auth = basicAuth('alice', (await made()).secret);
    expect(await status(auth, '/ocs/v2.php/cloud/user/signing-key', 'GET')).toBe(403);
    expect(await status(auth, '/ocs/v2.php/cloud/users/alice', 'GET')).toBe(200);
    expect(await status(auth, '/ocs/v2.php/cloud/users/alice', 'PUT')).toBe(403);
  });

  it('are limited to 200 for an account', async () => {
    await test.database.dataSource.query(
      `INSERT INTO app_password (uid, secret_hash, name, scopes)
       SELECT 'alice', sha256(n::text::bytea), 'many', '{files}' FROM generate_series(1, 200) n`,
    );
    expect((await send('POST', '/web/app-passwords', wishOf({}))).status).toBe(403);
    await test.database.dataSource.query("DELETE FROM app_password WHERE name = 'many'");
  });
});

describe('calls of clients', () => {
  const main = basicAuth('alice', PASSWORD);

  it('get an app password for the main password, replace it and revoke it', async () => {
    const first = await call('GET', `${CORE}/getapppassword`, main, { 'user-agent': 'spec client' });
    expect([first.status, await status(basicAuth('alice', first.secret))]).toEqual([200, 207]);
    const auth = basicAuth('alice', first.secret);
    expect((await call('GET', `${CORE}/getapppassword`, auth)).status).toBe(403);
    const second = await call('POST', `${CORE}/apppassword/rotate`, auth);
    expect([second.status, await status(auth)]).toEqual([200, 401]);
    const next = basicAuth('alice', second.secret);
    expect((await call('DELETE', `${CORE}/apppassword`, next)).status).toBe(200);
    expect(await status(next)).toBe(401);
    expect((await call('DELETE', `${CORE}/apppassword`, main)).status).toBe(403);
  });

  it('get no app password by a browser session, because a browser follows any link', async () => {
    expect(await browser.status(`${CORE}/getapppassword`)).toBe(403);
  });

  it('generate a token as clients of ownCloud do, and then use only the token', async () => {
    const generate = async (body: object): Promise<Response> =>
      fetch(`${gateway.url}/token/generate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const reply = await generate({ user: 'alice', password: PASSWORD, name: 'my client' });
    const { token } = (await reply.json()) as { token: string };
    secrets.push(token);
    for (const auth of [`token ${token}`, `Bearer ${token}`, basicAuth('alice', token)])
      expect(await status(auth, '/ocs/v2.php/cloud/user', 'GET')).toBe(200);
    const opened = [`token ${token}`, `Bearer ${token}`].map((auth) => status(auth));
    expect(await Promise.all(opened)).toEqual([401, 207]);
    expect((await generate({ user: 'alice' })).status).toBe(422);
    const refusals = [
      { user: 'alice', password: 'wrong' },
      { user: 'nobody', password: 'wrong' },
    ].map(generate);
    const answers = await Promise.all(
      (await Promise.all(refusals)).map(async (one) => [one.status, await one.text()]),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toBe(401);
  });

  it('make and revoke app passwords as pages of ownCloud do', async () => {
    const path = '/index.php/settings/personal/authtokens';
    const headers = { requesttoken: browser.requestToken };
    const body = new URLSearchParams({ name: 'my-client' });
    const reply = await browser.fetch(path, { method: 'POST', headers, body });
    const { token, loginName, deviceToken } = (await reply.json()) as {
      token: string;
      loginName: string;
      deviceToken: { id: number; name: string };
    };
    secrets.push(token);
    expect([reply.status, loginName, deviceToken.name]).toEqual([200, 'alice', 'my-client']);
    expect(await status(`Bearer ${token}`)).toBe(207);
    expect(await (await browser.fetch(path)).json()).toContainEqual(
      expect.objectContaining({ id: deviceToken.id, name: 'my-client', type: 1 }),
    );
    expect(await browser.change('DELETE', `${path}/${deviceToken.id}`)).toBe(200);
    expect(await status(`Bearer ${token}`)).toBe(401);
  });
});

describe('an instance whose clients need app passwords', () => {
  const set = (value: string): Promise<unknown> =>
    test.database.dataSource.query(
      `INSERT INTO setting (app, key, value) VALUES ('system', 'token_auth_enforced', '${value}')
       ON CONFLICT (app, key) DO UPDATE SET value = EXCLUDED.value`,
    );
  afterAll(() => set('no'));

  it('accepts the main password only on the sign-in page', async () => {
    const { secret } = await made();
    const main = basicAuth('alice', PASSWORD);
    expect(await status(main)).toBe(207);
    await set('yes');
    await eventually('the setting is heard', async () => (await status(main)) === 401);
    expect(await status(main, `${CORE}/getapppassword`, 'GET')).toBe(401);
    const body = new URLSearchParams({ user: 'alice', password: PASSWORD, login: 'alice' });
    for (const path of ['/token/generate', '/ocs/v2.php/person/check'])
      expect((await fetch(gateway.url + path, { method: 'POST', body })).status).not.toBe(200);
    expect(await status(basicAuth('alice', secret))).toBe(207);
    expect((await new Browser(gateway.url).signIn()).status).toBe(303);
  });
});

it('has no app password in logs, traces, the audit log or any other table', async () => {
  expect(secrets.length).toBeGreaterThan(8);
  await eventually('the traces', () => collector.spans().some(({ name }) => name.includes('getapppassword')));
  const pool = new pg.Pool({ connectionString: test.url, max: 1 });
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const kept: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT r::text AS text FROM ${name} r`);
    kept.push(...rows.map(({ text }) => text));
  }
  await pool.end();
  expect(kept.some((text) => text.includes('app-password.create'))).toBe(true);
  expect(logged.length).toBeGreaterThan(0);
  const all = [collector.text(), ...logged, ...kept].join('\n');
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
