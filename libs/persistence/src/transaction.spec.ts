import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { Database } from './database';
import './index';
import { text } from './postgres-types';
import { declaredStatements, statement } from './statement';

const LOCK = statement({
  name: 'spec.transaction_lock',
  goesWithBegin: true,
  params: { gid: text },
  row: { gid: text },
  sql: 'SELECT gid FROM user_group WHERE gid = :gid FOR NO KEY UPDATE',
});
const MAKE = statement({
  name: 'spec.transaction_make',
  params: { gid: text },
  row: { gid: text },
  sql: 'INSERT INTO user_group (gid) VALUES (:gid) RETURNING gid',
});
const FAIL = statement({ name: 'spec.transaction_fail', sql: 'SELECT 1 / 0' });

let test: TestDatabase;
const query = (sql: string): Promise<Record<string, unknown>[]> => test.database.dataSource.query(sql);
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  jest.restoreAllMocks();
  expect(test.database.usage().busy).toBe(0);
  await query(`DELETE FROM user_group WHERE gid LIKE 'spec-%'`);
});
afterAll(() => test.drop());

const groups = async (): Promise<unknown[]> =>
  (await query(`SELECT gid FROM user_group WHERE gid LIKE 'spec-%' ORDER BY gid`)).map(({ gid }) => gid);

/** Texts and names of statements, and their answers, in the order in which the driver had them. */
function watchDriver(): string[] {
  const seen: string[] = [];
  const send = pg.Client.prototype.query as (...call: unknown[]) => unknown;
  jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...call: unknown[]) {
    const name = typeof call[0] === 'string' ? call[0] : (call[0] as { name: string }).name;
    seen.push(name);
    const answer = send.apply(this, call);
    if (answer instanceof Promise) void answer.then(() => seen.push(`${name} answered`));
    return answer as never;
  });
  return seen;
}

describe('a transaction', () => {
  it('sends its lock together with BEGIN, and its last statement together with COMMIT', async () => {
    await query(`INSERT INTO user_group (gid) VALUES ('spec-a')`);
    const seen = watchDriver();
    const made = await test.database.transaction(async (transaction) => {
      const locked = await transaction.rows(LOCK, { gid: 'spec-a' });
      return [...locked, ...(await transaction.last.rows(MAKE, { gid: 'spec-b' }))];
    });
    expect(made).toEqual([{ gid: 'spec-a' }, { gid: 'spec-b' }]);
    expect(seen).toEqual([
      ...['BEGIN', 'spec.transaction_lock', 'BEGIN answered'],
      ...['spec.transaction_make', 'COMMIT', 'COMMIT answered'],
    ]);
    expect(await groups()).toEqual(['spec-a', 'spec-b']);
  });

  it('sends a statement that writes only after BEGIN was answered', async () => {
    const seen = watchDriver();
    await test.database.transaction((transaction) => transaction.rows(MAKE, { gid: 'spec-a' }));
    expect(seen).toEqual(['BEGIN', 'BEGIN answered', 'spec.transaction_make', 'COMMIT', 'COMMIT answered']);
  });

  it('stores nothing if BEGIN fails', async () => {
    const send = pg.Client.prototype.query as (...call: unknown[]) => unknown;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...call: unknown[]
    ) {
      return (call[0] === 'BEGIN' ? send.call(this, 'BEGIN nonsense') : send.apply(this, call)) as never;
    });
    const attempts = [
      test.database.transaction((transaction) => transaction.rows(MAKE, { gid: 'spec-a' })),
      test.database.transaction((transaction) => transaction.last.rows(MAKE, { gid: 'spec-b' })),
      test.database.transaction(async (transaction) => {
        await transaction.rows(LOCK, { gid: 'spec-c' });
        return transaction.rows(MAKE, { gid: 'spec-c' });
      }),
      test.database.transaction(() => Promise.resolve()),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toThrow('syntax error');
    expect(await groups()).toEqual([]);
  });

  it('stores nothing if its last statement fails', async () => {
    const attempt = test.database.transaction(async (transaction) => {
      await transaction.rows(MAKE, { gid: 'spec-a' });
      await transaction.last.rows(FAIL);
    });
    await expect(attempt).rejects.toThrow('division by zero');
    expect(await groups()).toEqual([]);
  });

  it('takes no statement after the last one', async () => {
    const attempt = test.database.transaction(async (transaction) => {
      await transaction.last.rows(MAKE, { gid: 'spec-a' });
      await transaction.rows(MAKE, { gid: 'spec-b' });
    });
    await expect(attempt).rejects.toThrow('spec.transaction_make comes after the last statement');
    expect(await groups()).toEqual(['spec-a']);
  });

  it('is not taken for stored if it hid a failure', async () => {
    const attempt = test.database.transaction(async (transaction) => {
      await transaction.rows(MAKE, { gid: 'spec-a' });
      await transaction.rows(FAIL).catch(() => undefined);
    });
    await expect(attempt).rejects.toThrow('a transaction ended with ROLLBACK');
    expect(await groups()).toEqual([]);
  });

  it('commits lazily if its work allows it, and the next one of the connection does not', async () => {
    const mode = statement({
      name: 'spec.transaction_mode',
      row: { mode: text },
      sql: `SELECT current_setting('synchronous_commit') AS mode`,
    });
    // The databases of tests commit lazily by default.
    await query(`ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET synchronous_commit = on`);
    const database = await Database.connect({ url: test.url, poolSize: 1, applicationName: 'spec' });
    const modes: unknown[] = [];
    for (const commitsLazily of [true, false])
      modes.push(...(await database.transaction((transaction) => transaction.rows(mode), { commitsLazily })));
    await database.close();
    expect(modes).toEqual([{ mode: 'off' }, { mode: 'on' }]);
  });

  it('sends nothing together with BEGIN that has an effect without it', () => {
    const early = declaredStatements().filter(({ goesWithBegin }) => goesWithBegin);
    expect(early.length).toBeGreaterThan(5);
    const effects =
      /\b(?:INSERT|UPDATE|DELETE|MERGE|nextval|pg_advisory\w*|tell_\w+)\b|set_config\([^)]*false/;
    const locks = /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b/g;
    expect(
      early.filter(({ text: sql }) => effects.test(sql.replace(locks, ''))).map(({ name }) => name),
    ).toEqual([]);
  });
});
