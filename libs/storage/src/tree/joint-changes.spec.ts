import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queryable } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { int8, text } from '../../../persistence/src/postgres-types';
import { statement } from '../../../persistence/src/statement';
import { JointChanges } from './joint-changes';

const TRANSACTION = statement({
  name: 'spec_joint.transaction',
  row: { id: int8 },
  sql: 'SELECT txid_current()::bigint AS id',
});
const NOTE = statement({
  name: 'spec_joint.note',
  params: { key: text },
  sql: `INSERT INTO setting (app, key, value) VALUES ('joint', :key, '1')`,
});
const TERMINATE = statement({
  name: 'spec_joint.terminate',
  sql: 'SELECT pg_terminate_backend(pg_backend_pid())',
});

const STORAGE = 7;

describe('changes of one storage', () => {
  let test: TestDatabase;
  let changes: JointChanges;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    changes = new JointChanges(test.database);
    await test.database.dataSource.query(`DELETE FROM setting WHERE app = 'joint'`);
  });

  const noted = async (): Promise<string[]> =>
    (
      await test.database.dataSource.query<{ key: string }[]>(
        `SELECT key FROM setting WHERE app = 'joint' ORDER BY key`,
      )
    ).map(({ key }) => key);
  const transactionOf = async (transaction: Queryable): Promise<number> =>
    (await transaction.rows(TRANSACTION))[0]!.id;

  it('that come while one is being committed share the next transaction', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => changes.run(STORAGE, transactionOf)));
    expect(new Set(ids.slice(1)).size).toBe(1);
    expect(ids[0]).not.toBe(ids[1]);
    expect(await changes.run(STORAGE, transactionOf)).not.toBe(ids[1]);
  });

  it('of two storages do not wait for each other', async () => {
    let reached: () => void;
    const other = new Promise<void>((resolve) => (reached = resolve));
    const waiting = changes.run(STORAGE, () => other);
    await changes.run(STORAGE + 1, async () => reached());
    await waiting;
  });

  it('fail each for itself, and nothing is left of the one that failed', async () => {
    const ended = await Promise.allSettled(
      ['first', 'second', 'fails', 'fourth'].map((key) =>
        changes.run(STORAGE, async (transaction) => {
          await transaction.rows(NOTE, { key });
          if (key === 'fails') throw new Error('refused');
          return key;
        }),
      ),
    );
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await noted()).toEqual(['first', 'fourth', 'second']);
  });

  it('run in the context of the one who brought them', async () => {
    const caller = new AsyncLocalStorage<string>();
    const seen = await Promise.all(
      ['ada', 'ben', 'cem'].map((name) =>
        caller.run(name, () => changes.run(STORAGE, async () => caller.getStore())),
      ),
    );
    expect(seen).toEqual(['ada', 'ben', 'cem']);
  });

  it('are not run again where the database went away', async () => {
    const runs: string[] = [];
    const ended = await Promise.allSettled(
      ['first', 'second', 'third'].map((key) =>
        changes.run(STORAGE, async (transaction) => {
          runs.push(key);
          if (key === 'third') await transaction.rows(TERMINATE);
        }),
      ),
    );
    expect(runs).toEqual(['first', 'second', 'third']);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});
