import { createHmac, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import pg from 'pg';
import { importJWK, SignJWT, type JWTPayload } from 'jose';
import { createLogger } from '#platform';
import {
  eventually,
  startGateway,
  startTraceCollector,
  type TestGateway,
  type TraceCollector,
} from '#testing';
import { AUDIENCE, OidcIssuer } from '../../libs/testing/src/rigs/oidc-issuer';

let issuer: OidcIssuer;
let collector: TraceCollector;
let gateway: TestGateway;
const logged: string[] = [];
const sent: string[] = [];

beforeAll(async () => {
  issuer = await OidcIssuer.start();
  collector = await startTraceCollector();
  issuer.people.set('s-carol', { preferred_username: 'carol', name: 'Carol', groups: ['staff', 'cloud'] });
  issuer.people.set('s-dora', { preferred_username: 'dora', groups: ['cloud', 'bosses'] });
  issuer.people.set('s-other', { preferred_username: 'other', groups: [] });
  issuer.people.set('s-admin', { preferred_username: 'admin', groups: ['cloud'] });
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  gateway = await startGateway({
    env: {
      ...issuer.env,
      OIDC_GROUPS_CLAIM: 'groups',
      OIDC_ALLOWED_GROUPS: 'cloud',
      OIDC_ADMIN_GROUPS: 'bosses',
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
    logger: createLogger('trace', sink),
  });
});
afterAll(async () => {
  await gateway?.stop();
  await issuer?.close();
  await collector?.close();
});

/** Asks who a token is. @returns the user id, or the status of the refusal */
async function whoIs(token: string): Promise<string | number> {
  sent.push(token);
  const reply = await ask('/ocs/v2.php/cloud/user?format=json', token);
  if (reply.status !== 200) return reply.status;
  return ((await reply.json()) as { ocs: { data: { id: string } } }).ocs.data.id;
}

const ask = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
  fetch(gateway.url + path, { ...init, headers: { authorization: `Bearer ${token}` } });

/** A token signed by the issuer's own key, with other contents. */
/** @param signer has the key; the token always names the issuer */
async function signed(changes: JWTPayload, header = {}, signer = issuer): Promise<string> {
  const [key] = signer.keys;
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer.url, aud: AUDIENCE, sub: 's-carol', iat: now, exp: now + 60 };
  return new SignJWT({
    ...claims,
    preferred_username: 'carol',
    groups: ['cloud'],
    jti: randomUUID(),
    ...changes,
  })
    .setProtectedHeader({ alg: 'RS256', kid: key!.kid, ...header })
    .sign(await importJWK(key!, 'RS256'));
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens of an issuer', () => {
  it('create an account at the first sign-in, in every protocol', async () => {
    const token = await issuer.token('s-carol');
    expect(token.split('.')).toHaveLength(3);
    expect(await whoIs(token)).toBe('carol');
    expect(await whoIs(token)).toBe('carol');
    expect((await ask('/remote.php/dav/files/carol/a.txt', token, { method: 'PUT', body: 'x' })).status).toBe(
      201,
    );
    expect((await ask('/ocs/v2.php/cloud/capabilities', token)).status).toBe(200);
    expect((await ask('/web/sessions', token)).status).toBe(200);
    const groups = await ask('/ocs/v2.php/cloud/users/carol/groups?format=json', token);
    expect(((await groups.json()) as { ocs: { data: { groups: string[] } } }).ocs.data.groups).toEqual([
      'cloud',
      'staff',
    ]);
  });

  it('are checked at the issuer if they are opaque', async () => {
    const token = await issuer.token('s-carol', 'opaque');
    expect(token).not.toContain('.');
    expect(await whoIs(token)).toBe('carol');
    expect(await whoIs(`${token.slice(0, -3)}AAA`)).toBe(401);
    expect(await whoIs(await issuer.token('s-carol', 'opaque', 'https://another.example'))).toBe(401);
  });

  it('make administrators by the rules', async () => {
    const token = await issuer.token('s-dora');
    expect((await ask('/ocs/v2.php/cloud/users', token)).status).toBe(200);
    expect((await ask('/ocs/v2.php/cloud/users', await issuer.token('s-carol'))).status).not.toBe(200);
  });

  it('never reach an account of this instance that has the same name', async () => {
    expect(await whoIs(await issuer.token('s-admin'))).toBe('admin-2');
  });

  it('are refused for people outside of the allowed groups, whose accounts end', async () => {
    expect(await whoIs(await issuer.token('s-other'))).toBe(401);
    issuer.people.set('s-leaver', { preferred_username: 'leaver', groups: ['cloud'] });
    const before = await issuer.token('s-leaver');
    expect(await whoIs(before)).toBe('leaver');
    issuer.people.set('s-leaver', { preferred_username: 'leaver', groups: [] });
    expect(await whoIs(await issuer.token('s-leaver'))).toBe(401);
    expect(await whoIs(before)).toBe(401);
    issuer.people.set('s-leaver', { preferred_username: 'leaver', groups: ['cloud'] });
    expect(await whoIs(await issuer.token('s-leaver'))).toBe('leaver');
  });

  it('lead to the same account for a renamed person, and to a new account for a reused name', async () => {
    issuer.people.set('s-carol', { preferred_username: 'carol-new', groups: ['cloud', 'staff'] });
    issuer.people.set('s-second', { preferred_username: 'carol', groups: ['cloud'] });
    expect(await whoIs(await issuer.token('s-carol'))).toBe('carol');
    const second = await issuer.token('s-second');
    expect(await whoIs(second)).toBe('carol-2');
    expect((await ask('/remote.php/dav/files/carol/a.txt', second)).status).toBe(404);
  });

  it.each<[string, () => Promise<string>]>([
    ['that has expired', () => signed({ exp: inSeconds(-60) })],
    ['from the future', () => signed({ nbf: inSeconds(3600) })],
    ['without an end', () => signed({ exp: undefined })],
    ['for another service', () => signed({ aud: 'https://another.example' })],
    ['of another issuer', () => signed({ iss: 'https://evil.example' })],
    ['that tells of a sign-in', () => signed({ nonce: 'n' })],
    ['that tells of an end', () => signed({}, { typ: 'logout+jwt' })],
    ['of the kind that Keycloak calls ID', () => signed({ typ: 'ID' })],
    ['without a subject', () => signed({ sub: undefined })],
    ['that was changed', async () => (await signed({})).replace(/\.[^.]*\./, `.${part({ sub: 's-dora' })}.`)],
    ['signed by nobody', () => Promise.resolve(`${part({ alg: 'none' })}.${part({ sub: 's-carol' })}.`)],
    ['signed with the public key as a secret', () => Promise.resolve(confused())],
  ])('are refused: one %s', async (_, make) => {
    expect(await whoIs(await make())).toBe(401);
  });

  it('are accepted if the issuer’s clock differs by seconds', async () => {
    expect(await whoIs(await signed({ exp: inSeconds(-5) }))).toBe('carol');
  });

  it('are accepted right after a change of the keys', async () => {
    const old = await signed({});
    await issuer.rotate();
    await eventually('the new key to be known', async () => (await whoIs(await signed({}))) === 'carol');
    expect(await whoIs(old)).toBe(401);
  });

  it('are refused if the keys of the issuer are redirected to another server that signed them', async () => {
    const other = await OidcIssuer.start();
    await other.rotate();
    try {
      issuer.keysElsewhere = other.url;
      const token = await signed({}, {}, other);
      await eventually('a redirected request', async () => {
        expect([401, 503]).toContain(await whoIs(token));
        return issuer.redirected > 0;
      });
      expect([401, 503]).toContain(await whoIs(token));
    } finally {
      issuer.keysElsewhere = undefined;
      await other.close();
    }
    await eventually('the keys of the issuer', async () => (await whoIs(await signed({}))) === 'carol');
  });

  it('get 503 while the issuer is down, except remembered ones', async () => {
    const [remembered, later] = [await signed({}), await issuer.token('s-carol', 'opaque')];
    expect(await whoIs(remembered)).toBe('carol');
    issuer.isDown = true;
    try {
      expect(await whoIs(remembered)).toBe('carol');
      expect(await whoIs(later)).toBe(503);
    } finally {
      issuer.isDown = false;
    }
    expect(await whoIs(later)).toBe('carol');
  });

  it('change nothing if they are older than other tokens of the same person', async () => {
    const now = inSeconds(0);
    const of = (iat: number, groups: string[]) =>
      signed({ sub: 's-mover', preferred_username: 'mover', iat, groups });
    expect(await whoIs(await of(now - 20, ['cloud']))).toBe('mover');
    expect(await whoIs(await of(now - 10, []))).toBe(401);
    expect(await whoIs(await of(now - 15, ['cloud']))).toBe(401);
    expect(await whoIs(await of(now, ['cloud']))).toBe('mover');
  });

  it('leave the state of the newest of them when several come at once', async () => {
    for (const round of [1, 2, 3, 4, 5, 6]) {
      const name = `crowd-${round}`;
      const now = inSeconds(0);
      const told = (age: number) => ({
        iat: now - age,
        name: `Told ${age}`,
        groups: ['cloud', `told-${age}`],
      });
      const of = (age: number) => signed({ sub: name, preferred_username: name, ...told(age) });
      const tokens = await Promise.all([4, 0, 6, 2, 1, 5, 7, 3].map(of));
      expect(await Promise.all(tokens.map(whoIs))).toEqual(tokens.map(() => name));
      const reply = await fetch(`${gateway.url}/ocs/v2.php/cloud/users/${name}?format=json`, {
        headers: { authorization: gateway.adminAuth },
      });
      expect(await reply.json()).toMatchObject({ ocs: { data: { displayname: 'Told 0' } } });
      const groups = await fetch(`${gateway.url}/ocs/v2.php/cloud/users/${name}/groups?format=json`, {
        headers: { authorization: gateway.adminAuth },
      });
      expect(await groups.json()).toMatchObject({ ocs: { data: { groups: ['cloud', 'told-0'] } } });
    }
  });

  it('do not work for a new owner of the same user id', async () => {
    const before = await signed({ sub: 's-first', preferred_username: 'reused' });
    expect(await whoIs(before)).toBe('reused');
    const removal = await fetch(`${gateway.url}/ocs/v2.php/cloud/users/reused`, {
      method: 'DELETE',
      headers: { authorization: gateway.adminAuth },
    });
    expect(removal.status).toBe(200);
    const after = await signed({ sub: 's-next', preferred_username: 'reused' });
    expect(await whoIs(after)).toBe('reused');
    expect(await whoIs(before)).toBe(401);
    expect(await whoIs(await signed({ sub: 's-first', preferred_username: 'reused' }))).toBe('reused-2');
  });
});

function confused(): string {
  const { n, e, kty, kid } = issuer.keys[0]!;
  const claims = { iss: issuer.url, aud: AUDIENCE, sub: 's-carol', exp: inSeconds(60) };
  const content = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
  const secret = JSON.stringify({ kty, n, e });
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

describe('tokens of accounts that need a second factor', () => {
  it('need a sign-in with a second factor', async () => {
    const database = new pg.Client({ connectionString: gateway.databaseUrl });
    await database.connect();
    try {
      await database.query(
        `INSERT INTO setting (app, key, value) VALUES ('system', 'second_factor_groups', '["cloud"]')`,
      );
    } finally {
      await database.end();
    }
    await eventually('the setting to be heard of', async () => (await whoIs(await signed({}))) === 401);
    expect(await whoIs(await signed({ amr: ['pwd', 'mfa'] }))).toBe('carol');
  });
});

describe('the issuer', () => {
  it('is announced to clients', async () => {
    const document = await fetch(`${gateway.url}/.well-known/openid-configuration`);
    expect(await document.json()).toMatchObject({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    const query = new URLSearchParams({
      resource: gateway.url,
      rel: 'http://openid.net/specs/connect/1.0/issuer',
    });
    const found = await fetch(`${gateway.url}/.well-known/webfinger?${query.toString()}`);
    expect(await found.json()).toMatchObject({ links: [{ href: issuer.url }] });
    const challenge = await fetch(`${gateway.url}/remote.php/webdav/`, { method: 'PROPFIND' });
    expect(challenge.headers.get('www-authenticate')).toMatch(/^Bearer realm="Drawbridge", Basic /);
  });
});

it('has no token in logs, traces, the audit log or any other table', async () => {
  expect(sent.length).toBeGreaterThan(20);
  await eventually('the traces', () => collector.spans().some(({ name }) => name.includes('cloud/user')));
  const database = new pg.Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  const kept: string[] = [];
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of tables) {
      const { rows } = await database.query<{ text: string }>(`SELECT r::text AS text FROM ${name} r`);
      kept.push(...rows.map(({ text }) => text));
    }
  } finally {
    await database.end();
  }
  expect(kept.some((text) => text.includes('account.create'))).toBe(true);
  const all = [collector.text(), ...logged, ...kept].join('\n');
  expect(sent.filter((token) => all.includes(token.slice(-40)))).toEqual([]);
});
