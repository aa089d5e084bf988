import { availableParallelism } from 'node:os';
import { AuthenticationFailed } from './authentication-failed';
import { PasswordHasher } from './password-hasher';

const hasher = new PasswordHasher({ PASSWORD_QUEUE: 100 });

describe('a password', () => {
  it('is known again by its hash, which no other has', async () => {
    const [one, two] = [await hasher.hash('pass wörd'), await hasher.hash('pass wörd')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await hasher.verify(one, 'pass wörd')).toBe(true);
    expect(await hasher.verify(one, 'pass word')).toBe(false);
    expect(await hasher.verify(one, '')).toBe(false);
  });

  it('of nobody is none, whatever is tried', async () => {
    for (const password of ['', 'password', 'nobody'])
      expect(await hasher.verify(undefined, password)).toBe(false);
  });
});

describe('the queue of passwords', () => {
  it('is bounded: beyond it the answer is that all are busy', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 3 });
    const places = availableParallelism() + 3;
    const tries = Array.from({ length: places + 5 }, () => narrow.verify(undefined, 'x'));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(places);
    for (const result of results.slice(places)) {
      const { reason } = result as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(AuthenticationFailed);
      expect(reason).toMatchObject({ reason: 'busy', retryAfterSeconds: 2 });
    }
    expect(await narrow.verify(undefined, 'x')).toBe(false);
  });

  it('goes on after a hash that cannot be read', async () => {
    const narrow = new PasswordHasher({ PASSWORD_QUEUE: 1 });
    for (let times = 0; times < availableParallelism() + 3; times++)
      await expect(narrow.verify('no hash at all', 'x')).rejects.toThrow();
    expect(await narrow.verify(undefined, 'x')).toBe(false);
  });
});
