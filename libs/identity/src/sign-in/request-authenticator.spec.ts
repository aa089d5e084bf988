import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import {
  AccountRepository,
  AppPasswordRepository,
  ChangeFeed,
  ExternalIdentityRepository,
  SettingRepository,
  ThrottleRepository,
} from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { eventually } from '../../../testing/src/waiting';
import { administrationOn } from '../administration';
import { AuthenticationFailed } from '../authentication-failed';
import type { UserAccounts } from '../user-accounts';
import { AccountDirectory } from '../account-directory';
import { AppPasswordVerifier } from '../app-passwords/app-password-verifier';
import { AppPasswords } from '../app-passwords/app-passwords';
import { choiceOfClient } from '../app-passwords/app-password-choice';
import { LdapPasswords } from '../ldap/ldap-passwords';
import { LoginThrottle } from '../login-throttle';
import { BearerTokens } from '../oidc/bearer-tokens';
import { TrustedIssuer } from '../oidc/trusted-issuer';
import { PasswordHasher } from '../password-hasher';
import { LastLogins } from './last-logins';
import { MainPasswords } from './main-passwords';
import { RequestAuthenticator } from './request-authenticator';
import { readBasic } from './request-credentials';

const basic = (uid: string, password: string): string =>
  `Basic ${Buffer.from(`${uid}:${password}`).toString('base64')}`;

describe('the Authorization header', () => {
  it.each<[string | undefined, { uid: string; password: string } | undefined]>([
    [basic('alice', 'secret'), { uid: 'alice', password: 'secret' }],
    [basic('alice', 'a:b'), { uid: 'alice', password: 'a:b' }],
    [basic('alice', ''), { uid: 'alice', password: '' }],
    [basic('älice', 'pässword'), { uid: 'älice', password: 'pässword' }],
    [`bAsIc ${Buffer.from('a:b').toString('base64')}`, { uid: 'a', password: 'b' }],
    [undefined, undefined],
    ['', undefined],
    ['Basic', undefined],
    ['Basic ', undefined],
    ['Basic !!!', undefined],
    [basic('', 'secret'), undefined],
    [`Basic ${Buffer.from('alice').toString('base64')}`, undefined],
    [basic('al\0ice', 'secret'), undefined],
    [basic('alice', 'sec\0ret'), undefined],
    [basic('alice', 'x'.repeat(2048)), undefined],
    ['Bearer abc', undefined],
  ])('%j means %j', (header, credentials) => {
    expect(readBasic(header)).toEqual(credentials);
  });

  it('is read without an error, with any content', () => {
    const headers = fc.oneof(
      fc.string(),
      fc.string().map((text) => `Basic ${text}`),
      fc.base64String().map((text) => `Basic ${text}`),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const read = readBasic(header);
        expect(read === undefined || (read.uid !== '' && !read.uid.includes(':'))).toBe(true);
      }),
    );
  });
});

/** Counts verifications, and can pretend to be too busy. */
class CountingHasher extends PasswordHasher {
  verified = 0;
  isBusy = false;

  override async verify(...[passwordHash, ...rest]: Parameters<PasswordHasher['verify']>): Promise<boolean> {
    if (this.isBusy) throw new AuthenticationFailed('busy', 2);
    this.verified++;
    return super.verify(passwordHash, ...rest);
  }
}

const HERE = '192.0.2.7';
const KEY = randomBytes(32);
const RIGHT = basic('alice', 'right');
const WRONG = basic('alice', 'wrong');

describe('requests', () => {
  let test: TestDatabase;
  let users: UserAccounts;
  let feed: ChangeFeed;
  let hasher: CountingHasher;
  let authenticator: RequestAuthenticator;
  let appPasswords: AppPasswords;

  beforeAll(async () => {
    test = await createTestDatabase();
    ({ users } = administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }));
  });
  afterAll(() => test.drop());

  beforeEach(async () => {
    await test.empty('throttle', 'setting', 'user_account');
    await users.create({ uid: 'alice', password: 'right' });
    feed = new ChangeFeed(test.url);
    await feed.start();
    hasher = new CountingHasher({ PASSWORD_QUEUE: 100 });
    const { database } = test;
    const accounts = new AccountRepository(database);
    const directory = new AccountDirectory(accounts, feed);
    const logins = new LastLogins(accounts, directory);
    const throttle = new LoginThrottle(new ThrottleRepository(database));
    const secrets = new SecretBox(() => KEY);
    const rows = new AppPasswordRepository(database);
    const policy = new CachedPolicy(new SettingRepository(database), feed, { COMPATIBILITY: 'documented' });
    authenticator = new RequestAuthenticator(
      new MainPasswords(
        directory,
        logins,
        hasher,
        throttle,
        policy,
        new LdapPasswords(new ExternalIdentityRepository(database), readConfig({})),
      ),
      new AppPasswordVerifier(rows, directory, logins, secrets, feed),
      new BearerTokens(
        new TrustedIssuer(readConfig({})),
        undefined as never,
        directory,
        logins,
        readConfig({}),
      ),
      throttle,
      policy,
    );
    appPasswords = new AppPasswords(rows, secrets, new ChangeFeed(test.url));
  });
  afterEach(() => feed.stop());

  const authenticate = async (header: string, address = HERE): Promise<string> =>
    (await authenticator.authenticate(header, address)).account.uid;

  const reasonOf = (header: string | undefined, address = HERE): Promise<string> =>
    authenticator.authenticate(header, address).then(
      () => 'none',
      (error: unknown) => (error instanceof AuthenticationFailed ? error.reason : String(error)),
    );

  /** Signs in until memory is enough: the first sign-in is noted in the account, which is read again after the announcement. */
  const remembered = (header: string): Promise<unknown> =>
    eventually('the sign-in to be remembered', async () => {
      await authenticate(header);
      return authenticator.recognise(header, HERE);
    });

  it('verifies a password once and recognises it afterwards', async () => {
    expect(authenticator.recognise(RIGHT, HERE)).toBeUndefined();
    expect(await authenticate(RIGHT)).toBe('alice');
    await authenticate(RIGHT);
    expect(authenticator.recognise(RIGHT, HERE)?.account.uid).toBe('alice');
    expect(authenticator.recognise(RIGHT, '192.0.2.8')?.account.uid).toBe('alice');
    expect(authenticator.recognise(WRONG, HERE)).toBeUndefined();
    expect(hasher.verified).toBe(1);
  });

  it('recognises different spellings of a user id', async () => {
    for (const uid of ['alice', 'ALICE', 'Alice', 'alice'])
      expect(await authenticate(basic(uid, 'right'))).toBe('alice');
    expect(hasher.verified).toBe(1);
  });

  it('remembers only successful sign-ins', async () => {
    for (let times = 0; times < 3; times++) expect(await reasonOf(WRONG)).toBe('wrong');
    expect(hasher.verified).toBe(3);
  });

  it('records the time of a sign-in', async () => {
    await authenticate(RIGHT);
    expect((await users.get('alice')).lastLoginAt).toBeInstanceOf(Date);
  });

  it('verifies a password for an unknown account too', async () => {
    expect(await reasonOf(basic('nobody', 'right'))).toBe('wrong');
    expect(hasher.verified).toBe(1);
  });

  it('refuses impossible passwords without verifying them, and counts them like other wrong passwords', async () => {
    for (let guesses = 0; guesses < 10; guesses++) expect(await reasonOf(basic('alice', ' '))).toBe('wrong');
    expect(hasher.verified).toBe(0);
    expect(await reasonOf(basic('alice', ''))).toBe('throttled');
    expect(await reasonOf(basic('nobody', ''))).toBe('wrong');
    expect(hasher.verified).toBe(0);
  });

  it('needs credentials', async () => {
    for (const header of [undefined, '', 'Bearer abc']) expect(await reasonOf(header)).toBe('missing');
    expect(hasher.verified).toBe(0);
  });

  it('verifies once for many requests at the same time', async () => {
    const uids = await Promise.all(Array.from({ length: 20 }, () => authenticate(RIGHT)));
    expect(new Set(uids)).toEqual(new Set(['alice']));
    expect(hasher.verified).toBe(1);
    expect(await Promise.all(Array.from({ length: 20 }, () => reasonOf(WRONG)))).toEqual(
      Array(20).fill('wrong'),
    );
    expect(hasher.verified).toBe(2);
  });

  it('forgets an old password after another process has set a new one', async () => {
    await authenticate(RIGHT);
    await users.setPassword('alice', 'other');
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined);
    expect(await reasonOf(RIGHT)).toBe('wrong');
    expect(await authenticate(basic('alice', 'other'))).toBe('alice');
  });

  it('reports a disabled account only after the right password', async () => {
    await authenticate(RIGHT);
    await users.setEnabled('alice', false);
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined);
    expect(await reasonOf(RIGHT)).toBe('disabled');
    expect(await reasonOf(WRONG)).toBe('wrong');
    await users.setEnabled('alice', true);
    await eventually('the change is heard', async () => (await reasonOf(RIGHT)) === 'none');
  });

  it('ends with the account', async () => {
    await authenticate(RIGHT);
    await users.remove('alice');
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined);
    expect(await reasonOf(RIGHT)).toBe('wrong');
  });

  describe('after many wrong passwords', () => {
    const guess = async (times: number, address = HERE): Promise<void> => {
      for (let guesses = 0; guesses < times; guesses++) expect(await reasonOf(WRONG, address)).toBe('wrong');
    };

    it('is refused without checking the password, from that address only', async () => {
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
      expect(await reasonOf(RIGHT)).toBe('throttled');
      expect(hasher.verified).toBe(10);
      expect(await authenticate(RIGHT, '192.0.2.8')).toBe('alice');
    });

    it('accepts a client that signed in before, and resets its counter', async () => {
      await authenticate(RIGHT);
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
      expect(await authenticate(RIGHT)).toBe('alice');
      expect(authenticator.recognise(RIGHT, HERE)?.account.uid).toBe('alice');
      await guess(1);
    });

    it('counts from the last success', async () => {
      await guess(9);
      await authenticate(RIGHT);
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
    });
  });

  it('does not count attempts that were not checked for lack of time', async () => {
    hasher.isBusy = true;
    for (let times = 0; times < 20; times++) expect(await reasonOf(RIGHT)).toBe('busy');
    hasher.isBusy = false;
    expect(await authenticate(RIGHT)).toBe('alice');
  });

  describe('by an app password', () => {
    const WRONG_APP = 'aaaaa-bbbbb-ccccc-ddddd-eeeee-fffff';
    let secret: string;
    let id: number;
    beforeEach(async () => {
      ({ id, secret } = await appPasswords.create('alice', choiceOfClient('phone'), 'one_factor'));
    });
    const mine = (): string => basic('alice', secret);
    const notRecognised = (): boolean => authenticator.recognise(mine(), HERE) === undefined;

    it('cost no slow hash, and nothing but memory from the second one on', async () => {
      expect(authenticator.recognise(mine(), HERE)).toBeUndefined();
      await remembered(mine());
      expect(authenticator.recognise(mine(), HERE)).toMatchObject({ appPassword: { id, readOnly: false } });
      expect(hasher.verified).toBe(0);
    });

    it.each(['token', 'Bearer'])('are read after %s, without a user id', async (scheme) => {
      await remembered(`${scheme} ${secret}`);
      expect(authenticator.recognise(`${scheme} ${secret}`, HERE)?.account.uid).toBe('alice');
      expect(await reasonOf(`${scheme} ${WRONG_APP}`)).toBe('wrong');
    });

    it('belong to no other account', async () => {
      await users.create({ uid: 'bob', password: 'right' });
      await remembered(mine());
      expect(authenticator.recognise(basic('bob', secret), HERE)).toBeUndefined();
      expect(await reasonOf(basic('bob', secret))).toBe('wrong');
      expect(await authenticate(basic('ALICE', secret))).toBe('alice');
    });

    it('record their use once for many simultaneous requests', async () => {
      const used = async (): Promise<(Date | null)[]> =>
        (await appPasswords.list('alice')).map(({ usedAt }) => usedAt);
      expect(await used()).toEqual([null]);
      await Promise.all(Array.from({ length: 10 }, () => authenticate(mine())));
      const [first] = await used();
      expect(first).toBeInstanceOf(Date);
      await authenticate(mine());
      expect(await used()).toEqual([first]);
      expect((await users.get('alice')).lastLoginAt).toBeInstanceOf(Date);
    });

    it('are refused when another process has revoked it', async () => {
      await remembered(mine());
      await appPasswords.revoke('alice', id);
      await eventually('the change is heard', notRecognised);
      expect(await reasonOf(mine())).toBe('wrong');
    });

    it('follow its scopes, its secret and its end', async () => {
      await remembered(mine());
      const choice = { name: 'phone', scopes: ['files'], readOnly: true, expiresAt: null };
      await appPasswords.change('alice', id, choice);
      await eventually('the change is heard', notRecognised);
      const { appPassword } = await authenticator.authenticate(mine(), HERE);
      expect(notRecognised()).toBe(false);
      expect(appPassword).toMatchObject({ scopes: ['files'], readOnly: true });
      await appPasswords.change('alice', id, { ...choice, expiresAt: new Date(Date.now() - 1) });
      await eventually('the change is heard', notRecognised);
      expect(await reasonOf(mine())).toBe('wrong');
      await appPasswords.change('alice', id, choice);
      const next = await appPasswords.rotate({ uid: 'alice', id });
      expect(await authenticate(basic('alice', next))).toBe('alice');
      expect(await reasonOf(mine())).toBe('wrong');
    });

    it('are refused while the account is disabled, and end with it', async () => {
      await remembered(mine());
      await users.setEnabled('alice', false);
      await eventually('the change is heard', notRecognised);
      expect(await reasonOf(mine())).toBe('disabled');
      await users.remove('alice');
      await eventually('the change is heard', async () => (await reasonOf(mine())) === 'wrong');
      await users.create({ uid: 'alice', password: 'right' });
      expect(await reasonOf(mine())).toBe('wrong');
    });

    it('still work with another main password', async () => {
      await users.setPassword('alice', 'other');
      expect(await authenticate(mine())).toBe('alice');
    });

    it('are accepted after failed guesses, and reset no count', async () => {
      for (let guesses = 0; guesses < 10; guesses++) expect(await reasonOf(WRONG)).toBe('wrong');
      expect(await authenticate(mine())).toBe('alice');
      expect(await reasonOf(WRONG)).toBe('throttled');
      expect(await reasonOf(RIGHT)).toBe('throttled');
    });

    it('count as guesses if they are wrong', async () => {
      for (let guesses = 0; guesses < 10; guesses++)
        expect(await reasonOf(basic('alice', WRONG_APP))).toBe('wrong');
      expect(await reasonOf(basic('alice', WRONG_APP))).toBe('throttled');
    });

    it('may have the form of a main password', async () => {
      await users.setPassword('alice', WRONG_APP);
      await remembered(basic('alice', WRONG_APP));
      expect(authenticator.recognise(basic('alice', WRONG_APP), HERE)).toEqual({
        account: expect.objectContaining({ uid: 'alice' }) as unknown,
        strength: 'one_factor',
      });
    });

    it('are the only ones if clients need app passwords', async () => {
      await remembered(RIGHT);
      await test.database.dataSource.query(
        "INSERT INTO setting (app, key, value) VALUES ('system', 'token_auth_enforced', 'yes')",
      );
      await eventually(
        'the setting is heard',
        () => authenticator.recognise(RIGHT, HERE) === undefined,
        1000,
      );
      for (let times = 0; times < 12; times++) expect(await reasonOf(RIGHT)).toBe('wrong');
      expect(await authenticate(mine())).toBe('alice');
      for (let guesses = 0; guesses < 10; guesses++)
        expect(await reasonOf(basic('alice', WRONG_APP))).toBe('wrong');
      expect(await reasonOf(basic('alice', WRONG_APP))).toBe('throttled');
      expect(hasher.verified).toBe(1);
    });
  });
});
