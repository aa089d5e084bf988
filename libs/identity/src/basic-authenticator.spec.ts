import fc from 'fast-check';
import { AccountRepository, ChangeFeed, ThrottleRepository } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../testing/src/test-database';
import { eventually } from '../../testing/src/waiting';
import { AccountDirectory } from './account-directory';
import { administrationOn } from './administration';
import { AuthenticationFailed } from './authentication-failed';
import { BasicAuthenticator, readBasic } from './basic-authenticator';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';
import type { UserAccounts } from './user-accounts';

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
  ])('%j says %j', (header, credentials) => {
    expect(readBasic(header)).toEqual(credentials);
  });

  it('is read without an error, whatever it holds', () => {
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

/** Counts what is verified, and can be made too busy to. */
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
const RIGHT = basic('alice', 'right');
const WRONG = basic('alice', 'wrong');

describe('Basic authentication', () => {
  let test: TestDatabase;
  let users: UserAccounts;
  let feed: ChangeFeed;
  let hasher: CountingHasher;
  let authenticator: BasicAuthenticator;

  beforeAll(async () => {
    test = await createTestDatabase();
    ({ users } = administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }));
  });
  afterAll(() => test.drop());

  beforeEach(async () => {
    await test.database.dataSource.query('TRUNCATE throttle, user_account CASCADE');
    await users.create({ uid: 'alice', password: 'right' });
    feed = new ChangeFeed(test.url);
    await feed.start();
    hasher = new CountingHasher({ PASSWORD_QUEUE: 100 });
    const accounts = new AccountRepository(test.database);
    const throttle = new LoginThrottle(new ThrottleRepository(test.database));
    authenticator = new BasicAuthenticator(new AccountDirectory(accounts, feed), accounts, hasher, throttle);
  });
  afterEach(() => feed.stop());

  const authenticate = async (header: string, address = HERE): Promise<string> =>
    (await authenticator.authenticate(header, address)).uid;

  const reasonOf = (header: string | undefined, address = HERE): Promise<string> =>
    authenticator.authenticate(header, address).then(
      () => 'none',
      (error: unknown) => (error instanceof AuthenticationFailed ? error.reason : String(error)),
    );

  it('verifies a password once and recognises it afterwards', async () => {
    expect(authenticator.recognise(RIGHT, HERE)).toBeUndefined();
    expect(await authenticate(RIGHT)).toBe('alice');
    await authenticate(RIGHT);
    expect(authenticator.recognise(RIGHT, HERE)?.uid).toBe('alice');
    expect(authenticator.recognise(RIGHT, '192.0.2.8')?.uid).toBe('alice');
    expect(authenticator.recognise(WRONG, HERE)).toBeUndefined();
    expect(hasher.verified).toBe(1);
  });

  it('recognises a user who writes his id in different ways', async () => {
    for (const uid of ['alice', 'ALICE', 'Alice', 'alice'])
      expect(await authenticate(basic(uid, 'right'))).toBe('alice');
    expect(hasher.verified).toBe(1);
  });

  it('remembers success only', async () => {
    for (let times = 0; times < 3; times++) expect(await reasonOf(WRONG)).toBe('wrong');
    expect(hasher.verified).toBe(3);
  });

  it('notes when somebody signed in', async () => {
    await authenticate(RIGHT);
    expect((await users.get('alice')).lastLoginAt).toBeInstanceOf(Date);
  });

  it('verifies a password for somebody unknown too', async () => {
    expect(await reasonOf(basic('nobody', 'right'))).toBe('wrong');
    expect(hasher.verified).toBe(1);
  });

  it('refuses what no account can have without verifying it, as often as another wrong password', async () => {
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

  it('knows no old password once another process has set a new one', async () => {
    await authenticate(RIGHT);
    await users.setPassword('alice', 'other');
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined, 1000);
    expect(await reasonOf(RIGHT)).toBe('wrong');
    expect(await authenticate(basic('alice', 'other'))).toBe('alice');
  });

  it('tells only who has the right password that the account is disabled', async () => {
    await authenticate(RIGHT);
    await users.setEnabled('alice', false);
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined, 1000);
    expect(await reasonOf(RIGHT)).toBe('disabled');
    expect(await reasonOf(WRONG)).toBe('wrong');
    await users.setEnabled('alice', true);
    await eventually('the change is heard', async () => (await reasonOf(RIGHT)) === 'none', 1000);
  });

  it('ends with the account', async () => {
    await authenticate(RIGHT);
    await users.remove('alice');
    await eventually('the change is heard', () => authenticator.recognise(RIGHT, HERE) === undefined, 1000);
    expect(await reasonOf(RIGHT)).toBe('wrong');
  });

  describe('after many wrong passwords', () => {
    const guess = async (times: number, address = HERE): Promise<void> => {
      for (let guesses = 0; guesses < times; guesses++) expect(await reasonOf(WRONG, address)).toBe('wrong');
    };

    it('is refused without looking at the password, from that address only', async () => {
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
      expect(await reasonOf(RIGHT)).toBe('throttled');
      expect(hasher.verified).toBe(10);
      expect(await authenticate(RIGHT, '192.0.2.8')).toBe('alice');
    });

    it('lets pass who was there before, and clears his way', async () => {
      await authenticate(RIGHT);
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
      expect(await authenticate(RIGHT)).toBe('alice');
      expect(authenticator.recognise(RIGHT, HERE)?.uid).toBe('alice');
      await guess(1);
    });

    it('counts from the last success on', async () => {
      await guess(9);
      await authenticate(RIGHT);
      await guess(10);
      expect(await reasonOf(WRONG)).toBe('throttled');
    });
  });

  it('does not count what nobody had time to look at', async () => {
    hasher.isBusy = true;
    for (let times = 0; times < 20; times++) expect(await reasonOf(RIGHT)).toBe('busy');
    hasher.isBusy = false;
    expect(await authenticate(RIGHT)).toBe('alice');
  });
});
