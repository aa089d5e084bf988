import pg from 'pg';
import { importJWK, SignJWT, type JWTPayload } from 'jose';
import { eventually, startGateway, type TestGateway } from '#testing';
import { CLIENT, OidcIssuer } from '../../libs/testing/src/rigs/oidc-issuer';
import { WalkingBrowser } from '../../libs/testing/src/rigs/walking-browser';

let issuer: OidcIssuer;
let gateway: TestGateway;
let database: pg.Client;

beforeAll(async () => {
  issuer = await OidcIssuer.start();
  issuer.people.set('s-carol', { preferred_username: 'carol', name: 'Carol', groups: ['cloud'] });
  issuer.people.set('s-dora', { preferred_username: 'dora', groups: [] });
  gateway = await startGateway({
    env: {
      ...issuer.env,
      OIDC_GROUPS_CLAIM: 'groups',
      OIDC_ALLOWED_GROUPS: 'cloud',
      OIDC_SECOND_FACTOR_ACR: 'gold',
    },
  });
  issuer.serve(gateway.url);
  database = new pg.Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await gateway?.stop();
  await issuer?.close();
});

const OF_LOGOUT = { typ: 'logout+jwt' };

const at = (path: string): string => gateway.url + path;

/** Uid of the session of a browser; the status of the refusal if it has none. */
async function uidOf(browser: WalkingBrowser): Promise<string | number> {
  const reply = await browser.open(at('/web/session'));
  return reply.ok ? ((await reply.json()) as { uid: string }).uid : reply.status;
}

async function signedIn(accountId: string, more: object = {}): Promise<WalkingBrowser> {
  issuer.login = { accountId, ...more };
  const browser = new WalkingBrowser();
  await browser.open(at('/login/oidc'));
  return browser;
}

/** A browser on its way back from the issuer, and the address that it is sent to. */
async function onItsWay(): Promise<{ browser: WalkingBrowser; address: URL }> {
  issuer.login = { accountId: 's-carol' };
  const browser = new WalkingBrowser();
  const reply = await browser.open(at('/login/oidc?next=/web/sessions'), '/login/oidc/callback');
  return { browser, address: new URL(((await reply.json()) as { stoppedAt: string }).stoppedAt) };
}

async function sessionAtIssuer(uid: string): Promise<string> {
  const { rows } = await database.query<{ issuer_session: string }>(
    'SELECT issuer_session FROM browser_session WHERE uid = $1 ORDER BY id DESC LIMIT 1',
    [uid],
  );
  return rows[0]!.issuer_session;
}

async function strengthOf(uid: string): Promise<string> {
  const { rows } = await database.query<{ strength: string }>(
    'SELECT strength FROM browser_session WHERE uid = $1 ORDER BY id DESC LIMIT 1',
    [uid],
  );
  return rows[0]!.strength;
}

describe('a sign-in on the pages', () => {
  it('goes to the issuer and back, with PKCE', async () => {
    const page = await (await fetch(at('/login?next=/web/sessions'))).text();
    expect(page).toContain('href="/login/oidc?next=%2Fweb%2Fsessions"');
    issuer.login = { accountId: 's-carol' };
    const browser = new WalkingBrowser();
    const reply = await browser.open(at('/login/oidc?next=/web/sessions'));
    expect(reply.status).toBe(200);
    expect(browser.visited.at(-1)).toBe(at('/web/sessions'));
    const asked = new URL(browser.visited.find((url) => url.includes('/auth?'))!).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('nonce')).not.toBeNull();
    expect(await uidOf(browser)).toBe('carol');
    expect(await strengthOf('carol')).toBe('one_factor');
  });

  it.each([
    ['acr', { acr: 'gold' }],
    ['amr', { amr: ['pwd', 'mfa'] }],
  ])('records the second factor that the issuer names in %s', async (_, login) => {
    expect(await uidOf(await signedIn('s-carol', login))).toBe('carol');
    expect(await strengthOf('carol')).toBe('two_factors');
  });

  it('is refused to people outside of the allowed groups', async () => {
    expect(await uidOf(await signedIn('s-dora'))).toBe(401);
  });

  it('is refused if they decline at the issuer', async () => {
    issuer.login = undefined;
    const browser = new WalkingBrowser();
    const reply = await browser.open(at('/login/oidc'));
    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain('You were not signed in there');
  });

  it('is refused for another browser than the first one', async () => {
    const { address } = await onItsWay();
    const reply = await new WalkingBrowser().open(address.href);
    expect(reply.status).toBe(403);
    const { browser } = await onItsWay();
    expect((await browser.open(address.href)).status).toBe(403);
    expect(await uidOf(browser)).toBe(401);
  });

  it.each([
    ['another state', 'state'],
    ['another code', 'code'],
    ['another issuer', 'iss'],
  ])('is refused with %s', async (_, parameter) => {
    const { browser, address } = await onItsWay();
    address.searchParams.set(parameter, 'https://evil.example');
    expect((await browser.open(address.href)).status).toBe(403);
    expect(await uidOf(browser)).toBe(401);
  });

  it('uses a code once', async () => {
    const { browser, address } = await onItsWay();
    expect((await browser.open(address.href)).status).toBe(200);
    expect((await browser.open(address.href)).status).toBe(403);
  });

  it('waits while the issuer is down, and does not redirect elsewhere', async () => {
    const { browser, address } = await onItsWay();
    issuer.isDown = true;
    try {
      expect((await browser.open(address.href)).status).toBe(503);
    } finally {
      issuer.isDown = false;
    }
    issuer.login = { accountId: 's-carol' };
    const other = new WalkingBrowser();
    await other.open(at('/login/oidc?next=https://evil.example/'));
    expect(other.visited.every((url) => !url.startsWith('https://evil'))).toBe(true);
    expect(other.visited).toContain(at('/'));
  });
});

describe('a logout at the issuer', () => {
  it('ends its session, and refuses earlier tokens only', async () => {
    const [first, second] = [await signedIn('s-carol'), await signedIn('s-carol')];
    const session = await sessionAtIssuer('carol');
    const token = await issuer.token('s-carol');
    expect(await statusOf(token)).toBe(200);
    await issuer.signOut('s-carol', session);
    expect(await uidOf(second)).toBe(401);
    expect(await uidOf(first)).toBe('carol');
    expect(await statusOf(token)).toBe(401);
    await eventually(
      'a token of another second',
      async () => (await statusOf(await issuer.token('s-carol'))) === 200,
    );
  });

  it.each<[string, JWTPayload, object]>([
    ['without its event', { events: {} }, OF_LOGOUT],
    ['for another client', { aud: 'another' }, OF_LOGOUT],
    ['of another issuer', { iss: 'https://evil.example' }, OF_LOGOUT],
    ['with a nonce', { nonce: 'n' }, OF_LOGOUT],
    ['about nobody', { sub: undefined, sid: undefined }, OF_LOGOUT],
    ['that is old', { iat: 1_700_000_000, exp: undefined }, OF_LOGOUT],
    ['of another kind', {}, { typ: 'at+jwt' }],
  ])('is refused by a token %s', async (_, changes, header) => {
    const browser = await signedIn('s-carol');
    expect(await tell(await logoutToken({ sid: await sessionAtIssuer('carol'), ...changes }, header))).toBe(
      400,
    );
    expect(await uidOf(browser)).toBe('carol');
  });

  it('without a session name ends all sessions of the person', async () => {
    const browser = await signedIn('s-carol');
    expect(await tell(await logoutToken({}))).toBe(200);
    expect(await uidOf(browser)).toBe(401);
    expect(await tell('no token')).toBe(400);
  });
});

const statusOf = async (token: string): Promise<number> =>
  (await fetch(at('/ocs/v2.php/cloud/user'), { headers: { authorization: `Bearer ${token}` } })).status;

async function tell(token: string): Promise<number> {
  const body = new URLSearchParams({ logout_token: token });
  return (await fetch(at('/login/oidc/logout'), { method: 'POST', body })).status;
}

async function logoutToken(changes: JWTPayload, header: object = OF_LOGOUT): Promise<string> {
  const [key] = issuer.keys;
  const now = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = { iss: issuer.url, aud: CLIENT.client_id, sub: 's-carol', iat: now, exp: now + 60, events };
  return new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: 'RS256', kid: key!.kid, ...header })
    .sign(await importJWK(key!, 'RS256'));
}
