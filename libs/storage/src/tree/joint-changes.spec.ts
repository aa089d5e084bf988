import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeRepository, type Queryable } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { JointChanges } from './joint-changes';

/** Ends the connections of all transactions that wait for their next statement. */
const END_TRANSACTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'idle in transaction'`;

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
    await test.empty('user_account');
    await test.database.dataSource.query(
      `INSERT INTO user_account (uid, display_name, password_hash) SELECT u, u, '-' FROM unnest($1::text[]) u`,
      [['first', 'second', 'third', 'fourth', 'fails']],
    );
  });

  const noted = async (): Promise<string[]> =>
    (
      await test.database.dataSource.query<{ uid: string }[]>(
        'SELECT owner_uid AS uid FROM storage ORDER BY 1',
      )
    ).map(({ uid }) => uid);
  const note = (transaction: Queryable, uid: string): Promise<void> =>
    new NodeRepository(transaction).makeStorage(uid);
  const transactionOf = async (transaction: Queryable): Promise<Queryable> => transaction;

  it('that arrive during a commit share the next transaction', async () => {
    const transactions = await Promise.all(
      Array.from({ length: 5 }, () => changes.run({ storageId: STORAGE }, transactionOf)),
    );
    expect(new Set(transactions.slice(1)).size).toBe(1);
    expect(transactions[0]).not.toBe(transactions[1]);
    expect(await changes.run({ storageId: STORAGE }, transactionOf)).not.toBe(transactions[1]);
  });

  it('run at once in their transaction if they make new entries at different paths, and else one by one', async () => {
    const steps: string[] = [];
    const change = (name: string, newPath?: string): Promise<void> =>
      changes.run({ storageId: STORAGE, newPath }, async (transaction) => {
        steps.push(`${name} begins`);
        await note(transaction, 'first');
        steps.push(`${name} ends`);
      });
    const started = changes.run({ storageId: STORAGE }, transactionOf);
    const paths = ['/one', '/two', undefined, '/three', '/three', '/four'];
    await Promise.all([started, ...paths.map((path, index) => change(`${index + 1}`, path))]);
    expect(steps).toEqual([
      ...['1 begins', '2 begins', '1 ends', '2 ends', '3 begins', '3 ends', '4 begins', '4 ends'],
      ...['5 begins', '6 begins', '5 ends', '6 ends'],
    ]);
  });

  it('of two storages do not wait for each other', async () => {
    let reached: () => void;
    const other = new Promise<void>((resolve) => (reached = resolve));
    const waiting = changes.run({ storageId: STORAGE }, () => other);
    await changes.run({ storageId: STORAGE + 1 }, async () => reached());
    await waiting;
  });

  it('fail separately, and the failed one leaves nothing', async () => {
    const ended = await Promise.allSettled(
      ['first', 'second', 'fails', 'fourth'].map((key) =>
        changes.run({ storageId: STORAGE }, async (transaction) => {
          await note(transaction, key);
          if (key === 'fails') throw new Error('refused');
          return key;
        }),
      ),
    );
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await noted()).toEqual(['first', 'fourth', 'second']);
  });

  it('run in the context of their caller', async () => {
    const caller = new AsyncLocalStorage<string>();
    const seen = await Promise.all(
      ['ada', 'ben', 'cem'].map((name) =>
        caller.run(name, () => changes.run({ storageId: STORAGE }, async () => caller.getStore())),
      ),
    );
    expect(seen).toEqual(['ada', 'ben', 'cem']);
  });

  it('are not repeated if the database went away', async () => {
    const runs: string[] = [];
    const ended = await Promise.allSettled(
      ['first', 'second', 'third'].map((key) =>
        changes.run({ storageId: STORAGE }, async (transaction) => {
          runs.push(key);
          if (key !== 'third') return;
          await test.database.dataSource.query(END_TRANSACTIONS);
          await note(transaction, key);
        }),
      ),
    );
    expect(runs).toEqual(['first', 'second', 'third']);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});
