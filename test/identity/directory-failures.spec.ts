import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ldapSyncOn } from '#identity';
import { readConfig } from '#platform';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  startGateway,
  TEST_AUTHORITY,
  type TestDatabase,
  type TestGateway,
} from '#testing';
import { group, person, Slapd } from '../../libs/testing/src/rigs/slapd';

const TLS = join(__dirname, '../../libs/testing/src/partners/tls');
const NAMES = Array.from({ length: 20 }, (_, number) => `person${String(number).padStart(2, '0')}`);
const ENTRIES = [...NAMES.map((name) => person(name)), group('staff', NAMES.slice(0, 10))];

let first: Slapd;
let second: Slapd;
let test: TestDatabase;
let gateway: TestGateway;
let directory: string;
let authority: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'drawbridge-authority-'));
  authority = join(directory, 'authority.pem');
  writeFileSync(authority, TEST_AUTHORITY);
  const tls = { certificate: join(TLS, 'partner.pem'), key: join(TLS, 'partner.key') };
  first = await Slapd.start(ENTRIES, { tls, lines: ['security ssf=1'] });
  second = await Slapd.start(first, { tls, lines: ['security ssf=1'] });
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url, env: env() });
});
afterAll(async () => {
  await gateway?.stop();
  await first?.stop();
  await second?.stop();
  await test.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Both servers, the first by TLS and the second by StartTLS; both refuse unencrypted connections. */
const env = (more: Record<string, string> = {}): Record<string, string> => ({
  ...first.env,
  LDAP_URLS: `${first.secureUrl},${second.url}`,
  LDAP_START_TLS: 'true',
  LDAP_CA_FILE: authority,
  ...more,
});
const sync = (more: Record<string, string> = {}, greatestLoss?: number) =>
  ldapSyncOn(test.database, readConfig(env(more)))!.runFully(greatestLoss);
const countOf = async (table: string): Promise<unknown> =>
  (await test.database.dataSource.query<{ count: number }[]>(`SELECT count(*)::int FROM ${table}`))[0]!.count;
const enabled = async (): Promise<unknown> =>
  countOf(`external_identity e JOIN user_account a USING (uid) WHERE a.enabled`);

const ask = (uid: string, password: string): Promise<Response> =>
  fetch(`${gateway.url}/remote.php/dav/files/${uid}/`, {
    method: 'PROPFIND',
    headers: { authorization: basicAuth(uid, password), depth: '0' },
  });
const signIn = async (uid: string, password = `password-of-${uid}`): Promise<number> =>
  (await ask(uid, password)).status;

describe('servers of a directory', () => {
  it.each([
    ['TLS', () => first.secureUrl],
    ['StartTLS', () => second.url],
  ])('are read by %s only with the authority of the organisation', async (_name, url) => {
    expect(await sync({ LDAP_URLS: url() })).toMatchObject({ failure: null, people: 20, groups: 1 });
    const refused = await sync({ LDAP_URLS: url(), LDAP_CA_FILE: '' });
    expect(refused.failure).toMatch(/^the directory gave no answer \((SELF_SIGNED|UNABLE_TO)/);
  });

  it('need a certificate for the name in their address', async () => {
    const refused = await sync({ LDAP_URLS: first.otherSecureUrl });
    expect(refused.failure).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('replace each other', async () => {
    expect(await signIn('person00')).toBe(207);
    await first.halt();
    expect(await sync()).toMatchObject({ failure: null, people: 20 });
    expect(await signIn('person01')).toBe(207);
    await first.resume();
    await second.halt();
    expect(await sync()).toMatchObject({ failure: null, people: 20 });
    expect(await signIn('person02')).toBe(207);
    await second.resume();
  });
});

describe('answers that lack people or groups', () => {
  it.each([
    ['is empty', { LDAP_USER_FILTER: '(uid=nobody)' }, '20 of 20 people would be gone'],
    ['has less', { LDAP_USER_FILTER: '(uid=person0*)' }, '10 of 20 people would be gone'],
    ['has no groups', { LDAP_GROUP_FILTER: '(cn=none)' }, '1 of 1 groups would be gone'],
    ['has no members', { LDAP_MEMBER_ATTRIBUTE: 'seeAlso' }, '10 of 10 memberships would be gone'],
  ])('are held back: one that %s', async (_name, filter, heldBack) => {
    expect(await sync()).toMatchObject({ heldBack: null });
    expect(await sync(filter)).toMatchObject({ heldBack, failure: null });
    expect([await enabled(), await countOf('account_end'), await countOf('external_membership')]).toEqual([
      20, 0, 10,
    ]);
    expect(await sync()).toMatchObject({ heldBack: null });
  });

  it('count as failures if a server cuts them off', async () => {
    await first.halt();
    first.configure(['security ssf=1', 'sizelimit 7']);
    await first.resume();
    const cutOff = await sync({ LDAP_URLS: first.secureUrl });
    expect(cutOff).toMatchObject({ failure: expect.stringContaining('(4)') as unknown, people: 20 });
    expect([await enabled(), await countOf('account_end')]).toEqual([20, 0]);
    await first.halt();
    first.configure();
    await first.resume();
  });

  it('are applied if an operator accepts the loss', async () => {
    const filter = { LDAP_USER_FILTER: '(!(uid=person1*))', LDAP_GROUP_FILTER: '(cn=none)' };
    expect(await sync(filter, 1)).toMatchObject({ heldBack: null, groups: 0 });
    expect(await countOf('account_end')).toBe(10);
    // The group is empty, and remains for the grace time.
    expect([await countOf('external_membership'), await countOf('external_group')]).toEqual([0, 1]);
    expect(await sync()).toMatchObject({ heldBack: null, people: 20, groups: 1 });
    expect([await enabled(), await countOf('account_end'), await countOf('external_membership')]).toEqual([
      20, 0, 10,
    ]);
  });
});

describe('a failed sign-in', () => {
  /** The search operations of the instance at the server. */
  const stepsOf = async (uid: string): Promise<string[]> => {
    const before = first.operations().length;
    expect(await signIn(uid, 'wrong')).toBe(401);
    const steps = await eventually('the end of the connection', () => {
      const lines = first.operations().slice(before);
      return lines.some((line) => line.endsWith(' UNBIND')) ? lines : undefined;
    });
    return steps.flatMap(
      (line) =>
        / op=\d+ (BIND dn="[^"]*" method|SRCH base|RESULT tag=97 err=\d+|SEARCH RESULT)/
          .exec(line)?.[1]
          ?.replace(/dn=".*?"/, '') ?? [],
    );
  };

  it('takes the same steps for an account of the directory, a local one, and none', async () => {
    const steps = await stepsOf('person05');
    expect(steps.at(-1)).toBe('RESULT tag=97 err=49');
    expect(await stepsOf('admin')).toEqual(steps);
    expect(await stepsOf('nobody-of-all')).toEqual(steps);
  });

  it('gets the same answer while the directory is unreachable, and signed-in users are not affected', async () => {
    expect(await signIn('person06')).toBe(207);
    await first.halt();
    await second.halt();
    for (const uid of ['person07', 'admin', 'nobody-at-all']) {
      const refused = await ask(uid, 'wrong');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    }
    expect(await signIn('person06')).toBe(207);
    expect(
      (
        await fetch(`${gateway.url}/ocs/v2.php/cloud/user`, {
          headers: { authorization: gateway.adminAuth, 'ocs-apirequest': 'true' },
        })
      ).status,
    ).toBe(200);
    expect(await sync()).toMatchObject({ failure: expect.stringContaining('ECONNREFUSED') as unknown });
    expect(await enabled()).toBe(20);
    await first.resume();
    await second.resume();
  });

  it('counts for accounts of the directory and for others', async () => {
    const lockedOut = async (uid: string): Promise<number> => {
      let tries = 0;
      while ((await signIn(uid, 'wrong')) === 401) tries++;
      return tries;
    };
    expect(await lockedOut('person08')).toBe(await lockedOut('nobody-there'));
  });
});
