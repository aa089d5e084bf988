import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { violates, violatesForeignKey, type Queryable } from './database';
import { date, int8, json, nullable, text, timestamptz } from './postgres-types';
import { statement } from './statement';

const ANSWER = statement({
  name: 'spec.answer',
  params: { number: int8 },
  row: { number: int8 },
  sql: 'SELECT :number::bigint + 1 AS number',
});
const PREPARED = statement({
  name: 'spec.prepared',
  row: { name: text },
  sql: 'SELECT name FROM pg_prepared_statements',
});
const TYPES = statement({
  name: 'spec.types',
  row: { day: date, big: int8, at: timestamptz, zone: text, jit: text },
  sql: "SELECT '2030-01-31'::date AS day, 9007199254740991::bigint AS big, '2030-01-31 12:00Z'::timestamptz AS at, current_setting('timezone') AS zone, current_setting('jit') AS jit",
});
const SOME_NULL = statement({
  name: 'spec.some_null',
  params: { count: int8 },
  row: { number: int8, odd: nullable(text), half: nullable(int8), document: nullable(json<object>()) },
  sql: `SELECT number::bigint, CASE WHEN number % 2 = 1 THEN 'odd' END AS odd, CASE WHEN number % 2 = 0 THEN number / 2 END AS half, CASE WHEN number = 2 THEN '{"a":[1]}'::json END AS document
    FROM generate_series(1, :count::bigint) AS number`,
});
const REFUSED = statement({
  name: 'spec.refused',
  params: { number: int8 },
  row: { number: int8 },
  sql: 'SELECT 1 / :number::bigint AS number',
});
const SET = statement({
  name: 'spec.set',
  params: { key: text, value: text },
  sql: "INSERT INTO setting VALUES ('spec', :key, :value) ON CONFLICT (app, key) DO UPDATE SET value = excluded.value",
});
const ALL = statement({
  name: 'spec.all',
  row: { value: text },
  sql: "SELECT value FROM setting WHERE app = 'spec' ORDER BY key",
});
const LOCK = statement({
  name: 'spec.lock',
  params: { key: text },
  sql: "SELECT value FROM setting WHERE app = 'spec' AND key = :key FOR UPDATE",
});
const CUT = statement({ name: 'spec.cut', sql: 'SELECT pg_terminate_backend(pg_backend_pid())' });
const JOIN_NOTHING = statement({
  name: 'spec.join_nothing',
  sql: "INSERT INTO group_member VALUES ('none', 'nobody')",
});
const GROUP = statement({ name: 'spec.group', sql: "INSERT INTO user_group (gid) VALUES ('admin')" });

let test: TestDatabase;
const values = async (): Promise<string[]> => (await test.database.rows(ALL)).map((row) => row.value);

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => test.database.dataSource.query('DELETE FROM setting'));

describe('a statement', () => {
  it('is prepared under its name', async () => {
    await test.database.transaction(async (transaction) => {
      expect(await transaction.rows(ANSWER, { number: 41 })).toEqual([{ number: 42 }]);
      expect(await transaction.rows(PREPARED)).toContainEqual({ name: 'spec.answer' });
    });
  });

  it('gives numbers for bigints and texts for days, which begin at midnight UTC, and compiles no statement', async () => {
    expect(await test.database.rows(TYPES)).toEqual([
      {
        day: '2030-01-31',
        big: Number.MAX_SAFE_INTEGER,
        at: new Date('2030-01-31T12:00:00Z'),
        zone: 'UTC',
        jit: 'off',
      },
    ]);
  });
});

describe('the columns of a statement', () => {
  const ROWS = [
    { number: 1, odd: 'odd', half: null, document: null },
    { number: 2, odd: null, half: 1, document: { a: [1] } },
    { number: 3, odd: 'odd', half: null, document: null },
  ];

  it('are described at its first use, and read in the same way at later ones, on each connection', async () => {
    const describe = jest.spyOn(pg.Connection.prototype, 'describe');
    expect(await test.database.rows(SOME_NULL, { count: 3 })).toEqual(ROWS);
    const described = describe.mock.calls.length;
    expect(described).toBe(1);
    const uses = Array.from({ length: 6 }, () =>
      test.database.transaction(async (transaction) => [
        await transaction.rows(SOME_NULL, { count: 3 }),
        await transaction.rows(SOME_NULL, { count: 0 }),
        await transaction.rows(SOME_NULL, { count: 1 }),
      ]),
    );
    for (const used of await Promise.all(uses)) expect(used).toEqual([ROWS, [], ROWS.slice(0, 1)]);
    expect(describe).toHaveBeenCalledTimes(described);
    describe.mockRestore();
  });

  it('are read again after a use that Postgres refused', async () => {
    await expect(test.database.rows(REFUSED, { number: 0 })).rejects.toThrow('division by zero');
    expect(await test.database.rows(REFUSED, { number: 1 })).toEqual([{ number: 1 }]);
    await expect(test.database.rows(REFUSED, { number: 0 })).rejects.toThrow('division by zero');
    expect(await test.database.rows(REFUSED, { number: 1 })).toEqual([{ number: 1 }]);
  });

  it('are read on a connection that replaces a broken one', async () => {
    await expect(test.database.rows(CUT)).rejects.toThrow('terminating connection');
    expect(await test.database.rows(ANSWER, { number: 1 })).toEqual([{ number: 2 }]);
  });

  it('show the caller in the trace of a failure', async () => {
    const failure = await test.database.rows(REFUSED, { number: 0 }).catch((error: Error) => error);
    expect((failure as Error).stack).toContain('database.spec');
  });
});

describe('a transaction', () => {
  it('is seen by others after its end', async () => {
    await test.database.transaction(async (transaction) => {
      await transaction.rows(SET, { key: 'a', value: '1' });
      expect(await values()).toEqual([]);
    });
    expect(await values()).toEqual(['1']);
  });

  it('leaves nothing if its work fails, and passes on the error', async () => {
    const failing = test.database.transaction(async (transaction) => {
      await transaction.rows(SET, { key: 'a', value: '1' });
      throw new Error('thought better of it');
    });
    await expect(failing).rejects.toThrow('thought better of it');
    expect(await values()).toEqual([]);
  });

  it('is tried again after a deadlock', async () => {
    await test.database.rows(SET, { key: 'a', value: '0' });
    await test.database.rows(SET, { key: 'b', value: '0' });
    let runs = 0;
    let arrived = 0;
    let meet: () => void;
    const bothHoldOne = new Promise<void>((resolve) => (meet = resolve));
    const both: Promise<void>[] = [];
    const crossing = async (transaction: Queryable, first: string, second: string): Promise<void> => {
      // The victim of the deadlock waits for the other transaction, so that they do not block each other again.
      if (++runs > 2) await Promise.any(both);
      await transaction.rows(LOCK, { key: first });
      if (++arrived === 2) meet();
      await bothHoldOne;
      await transaction.rows(SET, { key: second, value: first });
    };
    both.push(test.database.transaction((transaction) => crossing(transaction, 'a', 'b')));
    both.push(test.database.transaction((transaction) => crossing(transaction, 'b', 'a')));
    await Promise.all(both);
    expect(runs).toBe(3);
    expect(await values()).toEqual(['b', 'a']);
  });

  it('is not tried again after any other error', async () => {
    let runs = 0;
    const failing = test.database.transaction(async (transaction) => {
      runs++;
      await transaction.rows(GROUP);
    });
    await expect(failing).rejects.toThrow(/user_group_pkey/);
    expect(runs).toBe(1);
  });

  it('whose connection is cut does not break the pool', async () => {
    for (let times = 0; times < 10; times++)
      await expect(test.database.transaction((transaction) => transaction.rows(CUT))).rejects.toThrow();
    expect(await test.database.rows(ANSWER, { number: 1 })).toEqual([{ number: 2 }]);
  });
});

describe('a violation', () => {
  const failureOf = (failing: Promise<unknown>): Promise<unknown> =>
    failing.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('a violation of a unique constraint is reported with the name of the constraint', async () => {
    const error = await failureOf(test.database.rows(GROUP));
    expect(violates(error, 'user_group_pkey')).toBe(true);
    expect(violates(error, 'user_account_pkey')).toBe(false);
    expect(violatesForeignKey(error)).toBe(false);
  });

  it('a violation of a foreign key is reported', async () => {
    const error = await failureOf(test.database.rows(JOIN_NOTHING));
    expect(violatesForeignKey(error)).toBe(true);
    expect(violates(error, 'group_member_pkey')).toBe(false);
  });
});
