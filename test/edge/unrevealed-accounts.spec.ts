import pg from 'pg';
import { administrationOn, PasswordHasher } from '#identity';
import { acting } from '#platform';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { PASSWORD } from './browser';

const WRONG = 'not the password of anybody';
/** In the form of app passwords. */
const WRONG_APP = 'aaaaa-bbbbb-ccccc-ddddd-eeeee-fffff';
/** Names of equal length, so that replies can be compared unchanged. */
const UNKNOWN = ['nobody1', 'nobody2', 'nobody3'];
const KNOWN = {
  plain: 'person1',
  'in use': 'person2',
  disabled: 'person3',
  'with a second factor': 'person4',
};

let test: TestDatabase;
let gateway: TestGateway;
/** The work that takes time during a request: statements, and slow hashes. */
let steps: string[] = [];

const query = pg.Client.prototype.query as (...call: unknown[]) => unknown;
const verify = PasswordHasher.prototype.verify;

beforeAll(async () => {
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url });
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  for (const uid of Object.values(KNOWN)) await users.create({ uid, password: PASSWORD });
  await users.setEnabled(KNOWN.disabled, false);
  await test.database.dataSource.query(
    `INSERT INTO totp (uid, sealed_secret, last_step) VALUES ($1, '\\x00', 0)`,
    [KNOWN['with a second factor']],
  );
  pg.Client.prototype.query = function (this: pg.Client, ...call: unknown[]) {
    const [given] = call as [string | { name?: string; text: string }];
    if (acting()?.request) steps.push(typeof given === 'string' ? given : (given.name ?? given.text));
    return query.apply(this, call);
  } as typeof pg.Client.prototype.query;
  PasswordHasher.prototype.verify = function (...call) {
    steps.push('a slow hash');
    return verify.apply(this, call);
  };
});
afterAll(async () => {
  [pg.Client.prototype.query, PasswordHasher.prototype.verify] = [
    query as typeof pg.Client.prototype.query,
    verify,
  ];
  await gateway?.stop();
  await test?.drop();
});

type Request = readonly [method: string, path: string, init: RequestInit];

/** Every way to show a password. */
const SIGN_INS: Readonly<Record<string, (uid: string, password: string) => Request>> = {
  'calls of OCS': (...who) => ['GET', '/ocs/v2.php/cloud/user', { headers: by(...who) }],
  'files of WebDAV': (...who) => ['PROPFIND', '/remote.php/webdav/', { headers: by(...who) }],
  'the form for browsers': (user, password) => ['POST', '/login', form({ user, password })],
  'person/check': (login, password) => ['POST', '/ocs/v1.php/person/check', form({ login, password })],
  'token/generate': (user, password) => ['POST', '/index.php/token/generate', form({ user, password })],
  'core/getapppassword': (...who) => ['GET', '/ocs/v2.php/core/getapppassword', { headers: by(...who) }],
};

const by = (...who: [string, string]) => ({ authorization: basicAuth(...who) });
const form = (fields: Record<string, string>): RequestInit => ({ body: new URLSearchParams(fields) });

/** A refusal as a caller sees it, and the work that it took. */
interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  readonly steps: readonly string[];
}

const OF_EACH_REPLY = new Set(['date', 'x-request-id', 'set-cookie']);

async function ask(route: string, uid: string, password: string): Promise<Seen> {
  const [method, path, init] = SIGN_INS[route]!(uid, password);
  steps = [];
  const reply = await fetch(gateway.url + path, { method, redirect: 'manual', ...init });
  const text = (await reply.text()).replaceAll(uid, 'NAME');
  const headers = [...reply.headers].filter(([name]) => !OF_EACH_REPLY.has(name));
  return { status: reply.status, headers, text, steps };
}

describe.each(Object.keys(SIGN_INS))('a wrong password at %s', (route) => {
  beforeEach(async () => {
    await test.database.dataSource.query('TRUNCATE throttle');
    // Its account is in memory from then on.
    expect((await ask('calls of OCS', KNOWN['in use'], PASSWORD)).status).toBe(200);
    // Some things are done once.
    for (const password of [WRONG, WRONG_APP]) await ask(route, UNKNOWN[0]!, password);
  });

  it.each([
    ['a password', WRONG, 1],
    ['one like an app password', WRONG_APP, 1],
    ['one that no account can have', ' ', 0],
  ])(
    'is answered in the same way, by the same steps, for a known and an unknown account: %s',
    async (_name, password, hashes) => {
      const expected = await ask(route, UNKNOWN[1]!, password);
      expect(expected.status).toBeLessThan(500);
      expect(expected.steps.filter((step) => step === 'a slow hash')).toHaveLength(hashes);
      expect(expected.steps.length).toBeGreaterThan(hashes);
      for (const uid of [UNKNOWN[2]!, ...Object.values(KNOWN), ...Object.values(KNOWN)])
        expect({ uid, ...(await ask(route, uid, password)) }).toEqual({ uid, ...expected });
    },
  );

  it('is counted in the same way for a known and an unknown account', async () => {
    const statuses = async (uid: string): Promise<number[]> => {
      const seen: number[] = [];
      for (let at = 0; at < 11; at++) seen.push((await ask(route, uid, ' ')).status);
      return seen;
    };
    const expected = await statuses(UNKNOWN[1]!);
    expect(expected.at(-1)).toBe(429);
    expect(await statuses(KNOWN.plain)).toEqual(expected);
  });
});
