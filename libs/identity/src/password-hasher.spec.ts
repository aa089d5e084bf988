import { actingFor } from '#platform';
import { AuthenticationFailed } from './authentication-failed';
import { HASHES_AT_ONCE, PasswordHasher } from './password-hasher';

const HERE = '192.0.2.7';
const hasher = new PasswordHasher({ PASSWORD_QUEUE: 100 });

describe('a password', () => {
  it('matches its hash, and no other does', async () => {
    const [one, two] = [await hasher.hash('pass wörd'), await hasher.hash('pass wörd')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await hasher.verify(one, 'pass wörd', 'signIn', HERE)).toBe(true);
    expect(await hasher.verify(one, 'pass word', 'link', HERE)).toBe(false);
    expect(await hasher.verify(one, '', 'signIn', HERE)).toBe(false);
    const elsewhere = new PasswordHasher({ PASSWORD_QUEUE: 100 });
    expect(await elsewhere.verify(two, 'pass wörd', 'signIn', HERE)).toBe(true);
    expect(await elsewhere.verify(two, 'pass word', 'signIn', HERE)).toBe(false);
  });

  it('of an account that does not exist is always wrong', async () => {
    for (const password of ['', 'password', 'nobody'])
      expect(await hasher.verify(undefined, password, 'signIn', HERE)).toBe(false);
  });
});

describe('the queues of passwords', () => {
  const outcomes = async (tries: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(tries)).map((result) =>
      result.status === 'fulfilled' ? 'done' : (result.reason as AuthenticationFailed).reason,
    );
  const signIns = (narrow: PasswordHasher, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, index) => narrow.verify(undefined, 'x', 'signIn', `192.0.2.${index}`));

  it('are limited: further ones are refused as busy', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 4 });
    const places = HASHES_AT_ONCE.signIn + 4;
    expect(await outcomes(signIns(narrow, places + 5))).toEqual([
      ...Array<string>(places).fill('done'),
      ...Array<string>(5).fill('busy'),
    ]);
    expect(await outcomes(signIns(narrow, 1))).toEqual(['done']);
  });

  it('of sign-ins have space while accounts change passwords and visitors try links', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 4 });
    const changes = outcomes(
      Array.from({ length: 8 }, (_, index) =>
        actingFor({ kind: 'user', uid: `user${index}` }, () => narrow.hash('new')),
      ),
    );
    const visits = outcomes(
      Array.from({ length: 8 }, (_, index) => narrow.verify(undefined, 'x', 'link', `192.0.2.${index}`)),
    );
    const done = await outcomes(signIns(narrow, HASHES_AT_ONCE.signIn + 4));
    expect(new Set(done)).toEqual(new Set(['done']));
    const full = ['done', 'done', 'done', 'done', 'done', 'busy', 'busy', 'busy'];
    expect(await changes).toEqual(full);
    expect(await visits).toEqual(full);
  });

  it('give one account, and one network, a quarter of the places', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 8 });
    const changes = (uid: string): Promise<unknown>[] =>
      Array.from({ length: 4 }, () => actingFor({ kind: 'user', uid }, () => narrow.hash('new')));
    const [flood, other] = [changes('mallory'), changes('alice')];
    expect(await outcomes(flood)).toEqual(['done', 'done', 'done', 'busy']);
    expect(await outcomes(other)).toEqual(['done', 'done', 'busy', 'busy']);
    const guesses = Array.from({ length: 8 }, () => narrow.verify(undefined, 'x', 'signIn', HERE));
    const elsewhere = narrow.verify(undefined, 'x', 'signIn', '198.51.100.1');
    expect((await outcomes(guesses)).filter((outcome) => outcome === 'done')).toHaveLength(
      HASHES_AT_ONCE.signIn + 2,
    );
    expect(await elsewhere).toBe(false);
  });

  it('do not keep back a password that was hashed here', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 1 });
    const passwordHash = await narrow.hash('new');
    const waiting = signIns(narrow, HASHES_AT_ONCE.signIn + 1);
    expect(await narrow.verify(passwordHash, 'new', 'signIn', HERE)).toBe(true);
    await expect(narrow.verify(passwordHash, 'another', 'signIn', HERE)).rejects.toThrow('busy');
    expect(await outcomes(waiting)).toEqual(Array<string>(HASHES_AT_ONCE.signIn + 1).fill('done'));
  });

  it('continue after an unreadable hash', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 1 });
    for (let times = 0; times < HASHES_AT_ONCE.signIn + 3; times++)
      await expect(narrow.verify('no hash at all', 'x', 'signIn', HERE)).rejects.toThrow();
    expect(await narrow.verify(undefined, 'x', 'signIn', HERE)).toBe(false);
  });
});
