import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { isConnectionFailure } from './connection-failure';
import { Database } from './database';
import { statement } from './statement';

const ONE = statement({ name: 'spec.failure.one', sql: 'SELECT 1 AS one' });
const WRONG = statement({ name: 'spec.failure.wrong', sql: 'SELECT 1 / 0 AS wrong' });
const CUT = statement({ name: 'spec.failure.cut', sql: 'SELECT pg_terminate_backend(pg_backend_pid())' });

const OF_THE_SPEC = { poolSize: 2, applicationName: 'spec' };

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
  ])('does not include %s', (error) => {
    expect(isConnectionFailure(error)).toBe(false);
  });

  it('is the error of an absent database', async () => {
    const absent = Database.connect({ ...OF_THE_SPEC, url: 'postgres://nobody@localhost:1/none' });
    expect(isConnectionFailure(await failureOf(absent))).toBe(true);
  });
});

describe('a database', () => {
  let test: TestDatabase;
  let other: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    other = await Database.connect({ ...OF_THE_SPEC, url: test.url });
  });
  afterAll(async () => {
    await other?.close();
    await test?.drop();
  });

  it('that refuses a statement does not count as a failed connection', async () => {
    expect(isConnectionFailure(await failureOf(other.rows(WRONG)))).toBe(false);
  });

  it.each([
    ['a statement', () => other.rows(CUT)],
    ['a transaction', () => other.transaction((transaction) => transaction.rows(CUT))],
  ])('that cuts %s fails so, and serves the next one', async (_what, failing) => {
    expect(isConnectionFailure(await failureOf(failing()))).toBe(true);
    expect(await other.rows(ONE)).toEqual([{ one: 1 }]);
  });

  describe('a database that refuses every account', () => {
    let letIn: () => Promise<void>;
    beforeAll(async () => void (letIn = await test.cutOff()));
    afterAll(() => letIn?.());

    it.each(['an old connection', 'a new one'])('fails on %s', async () => {
      expect(isConnectionFailure(await failureOf(other.rows(ONE)))).toBe(true);
    });

    it('fails a transaction', async () => {
      const failing = other.transaction((transaction) => transaction.rows(ONE));
      expect(isConnectionFailure(await failureOf(failing))).toBe(true);
    });
  });

  it('serves again when it accepts connections', async () => {
    expect(await other.rows(ONE)).toEqual([{ one: 1 }]);
  });
});
