import { ThrottleRepository } from '#persistence';
import { actingFor } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { AuthenticationFailed } from './authentication-failed';
import { LoginThrottle } from './login-throttle';

describe('the throttle of sign-ins', () => {
  let test: TestDatabase;
  let throttle: LoginThrottle;
  let elsewhere: LoginThrottle;

  beforeAll(async () => {
    test = await createTestDatabase();
    throttle = new LoginThrottle(new ThrottleRepository(test.database));
    elsewhere = new LoginThrottle(new ThrottleRepository(test.database));
  });
  afterAll(() => test.drop());
  beforeEach(() => run('TRUNCATE throttle'));

  const run = (sql: string): Promise<unknown> => test.database.dataSource.query(sql);

  async function attempts(count: number, uid = 'alice', address = '192.0.2.7', by = throttle): Promise<void> {
    for (let attempt = 0; attempt < count; attempt++) await by.attempt(uid, address);
  }

  async function refusal(uid = 'alice', address = '192.0.2.7', by = throttle): Promise<AuthenticationFailed> {
    const failure = await by.attempt(uid, address).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(AuthenticationFailed);
    return failure as AuthenticationFailed;
  }

  it('allows ten attempts at an account, and gives the eleventh the time to try again', async () => {
    await attempts(10);
    const { reason, retryAfterSeconds } = await refusal();
    expect(reason).toBe('throttled');
    expect(retryAfterSeconds).toBeGreaterThan(290);
    expect(retryAfterSeconds).toBeLessThanOrEqual(300);
  });

  it('counts for all replicas together, also simultaneous attempts', async () => {
    const tries = Array.from({ length: 30 }, (_, index) =>
      (index % 2 ? throttle : elsewhere).attempt('alice', '192.0.2.7'),
    );
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('treats an id as the same account in any case', async () => {
    await attempts(5, 'alice');
    await attempts(5, 'ALICE');
    expect((await refusal('Alice')).reason).toBe('throttled');
  });

  it('treats the addresses of one IPv6 subscriber as one', async () => {
    await attempts(10, 'alice', '2001:db8::1');
    expect((await refusal('alice', '2001:db8::2')).reason).toBe('throttled');
    await attempts(1, 'alice', '2001:db8:0:1::1');
  });

  it('counts attempts for one pair of user and address only', async () => {
    await attempts(10);
    await refusal();
    await attempts(1, 'alice', '192.0.2.8');
    await attempts(1, 'bob', '192.0.2.7');
  });

  describe('at an address that looks like an unnamed proxy', () => {
    const PROXY = '10.9.9.9';
    const behind = (client: string, count: number, uid = 'alice'): Promise<void> =>
      actingFor(undefined, () => attempts(count, uid, PROXY), { id: 'r', ip: PROXY, forwardedFor: client });
    const refusedBehind = (client: string): Promise<AuthenticationFailed> =>
      actingFor(undefined, () => refusal('alice', PROXY), { id: 'r', ip: PROXY, forwardedFor: client });

    it('does not count attempts of one client for another', async () => {
      await behind('203.0.113.1', 10);
      expect((await refusedBehind('203.0.113.1')).reason).toBe('throttled');
      await behind('203.0.113.2', 1);
      await actingFor(undefined, () => throttle.succeeded('alice', PROXY, true), {
        id: 'r',
        ip: PROXY,
        forwardedFor: '203.0.113.2',
      });
      expect((await refusedBehind('203.0.113.1')).reason).toBe('throttled');
    });

    it('allows a hundred attempts at an account, even with many invented clients', async () => {
      for (let client = 0; client < 100; client++) await behind(`203.0.113.${client}`, 1);
      expect((await refusedBehind('203.0.113.200')).reason).toBe('throttled');
      await behind('203.0.113.200', 1, 'bob');
    });

    it('never trusts an address of the internet about its clients', async () => {
      const guess = (client: number): Promise<void> =>
        actingFor(undefined, () => attempts(1), {
          id: 'r',
          ip: '192.0.2.7',
          forwardedFor: `203.0.113.${client}`,
        });
      for (let client = 0; client < 10; client++) await guess(client);
      await expect(guess(10)).rejects.toMatchObject({ reason: 'throttled' });
    });
  });

  it('allows at most 300 attempts a minute from one address', async () => {
    for (let user = 0; user < 30; user++) await attempts(10, `user${user}`);
    const { retryAfterSeconds } = await refusal('somebody else');
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    await attempts(1, 'user0', '192.0.2.8');
  });

  it('begins again when its window has ended', async () => {
    await attempts(10);
    await refusal();
    await run("UPDATE throttle SET window_ends_at = now() - interval '1 second'");
    await attempts(10);
    await refusal();
  });

  it('is cleared by the right password, for that account and address alone', async () => {
    await attempts(9);
    await attempts(9, 'alice', '192.0.2.8');
    expect(throttle.isFailing('alice', '192.0.2.7')).toBe(true);
    await throttle.succeeded('alice', '192.0.2.7', true);
    expect(throttle.isFailing('alice', '192.0.2.7')).toBe(false);
    await attempts(10);
    await refusal();
    await attempts(1, 'alice', '192.0.2.8');
    await refusal('alice', '192.0.2.8');
  });

  it('does not count an attempt that revealed nothing', async () => {
    for (let times = 0; times < 20; times++) {
      await throttle.attempt('alice', '192.0.2.7');
      await throttle.withdraw('alice', '192.0.2.7');
    }
    await attempts(10);
    await refusal();
  });

  it('forgets windows that ended a while ago', async () => {
    await run("INSERT INTO throttle VALUES ('old', 3, now() - interval '1 hour'), ('recent', 3, now())");
    await new LoginThrottle(new ThrottleRepository(test.database)).attempt('alice', '192.0.2.7');
    const rows = await test.database.dataSource.query<{ bucket: string }[]>(
      'SELECT bucket FROM throttle ORDER BY bucket',
    );
    expect(rows.map(({ bucket }) => bucket)).toEqual([
      'account:alice|192.0.2.7',
      'address:192.0.2.7',
      'recent',
    ]);
  });
});
