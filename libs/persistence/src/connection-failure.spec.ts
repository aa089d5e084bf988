import { createTestDatabase } from '../../testing/src/test-database';
import { isConnectionFailure } from './connection-failure';
import { Database } from './database';
import { statement } from './statement';

const ONE = statement('spec.failure.one', 'SELECT 1 AS one');
const WRONG = statement('spec.failure.wrong', 'SELECT 1 / 0 AS wrong');
const CUT = statement('spec.failure.cut', 'SELECT pg_terminate_backend(pg_backend_pid())');

const failureOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'none',
    (error: unknown) => error,
  );
const withCode = (code: string, syscall?: string): Error =>
  Object.assign(new Error('failed'), { code, syscall });

describe('a failure of the connection', () => {
  it.each(['57P01', '57P02', '57P03', '08006', '53300'])('is a server that says %s', (code) => {
    expect(isConnectionFailure(withCode(code))).toBe(true);
  });

  it.each([
    ['ECONNREFUSED', 'connect'],
    ['ENOENT', 'connect'],
    ['ECONNRESET', 'read'],
    ['EPIPE', 'write'],
    ['ENOTFOUND', 'getaddrinfo'],
  ])('is %s of %s', (code, syscall) => {
    expect(isConnectionFailure(withCode(code, syscall))).toBe(true);
    expect(isConnectionFailure(new AggregateError([withCode(code, syscall)]))).toBe(true);
  });

  it.each([
    withCode('23505'),
    withCode('40P01'),
    withCode('57014'),
    withCode('ENOENT', 'open'),
    new Error('something else'),
    new AggregateError([]),
    'text',
    undefined,
  ])('is not %s', (error) => {
    expect(isConnectionFailure(error)).toBe(false);
  });

  it('is what a cut, a closed and an absent database give, and no failure of a statement', async () => {
    const test = await createTestDatabase();
    try {
      expect(isConnectionFailure(await failureOf(test.database.rows(WRONG)))).toBe(false);
      for (const failing of [
        () => test.database.rows(CUT),
        () => test.database.transaction((transaction) => transaction.rows(CUT)),
      ])
        expect(isConnectionFailure(await failureOf(failing()))).toBe(true);
      const options = { poolSize: 2, applicationName: 'spec' };
      const other = await Database.connect({ ...options, url: test.url });
      const letIn = await test.cutOff();
      expect(isConnectionFailure(await failureOf(other.rows(ONE)))).toBe(true);
      expect(isConnectionFailure(await failureOf(other.rows(ONE)))).toBe(true);
      await letIn();
      expect(await other.rows(ONE)).toEqual([{ one: 1 }]);
      await other.close();
      const absent = Database.connect({ ...options, url: 'postgres://nobody@localhost:1/none' });
      expect(isConnectionFailure(await failureOf(absent))).toBe(true);
    } finally {
      await test.drop();
    }
  });
});
