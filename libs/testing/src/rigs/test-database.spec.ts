import { Database } from '#persistence';
import { eventually } from '../waiting';
import { createTestDatabase, type TestDatabase } from './test-database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const query = <T>(sql: string): Promise<T[]> => test.database.dataSource.query<T[]>(sql);

it('empties a table of rows that another transaction is inserting', async () => {
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '-')`);
  await query(`INSERT INTO user_group (gid) VALUES ('staff')`);
  const other = test.database.dataSource.createQueryRunner();
  await other.query(`BEGIN; INSERT INTO group_member (gid, uid) VALUES ('staff', 'alice')`);
  const emptied = test.empty('group_member', 'user_account', 'user_group');
  await eventually('the wait for the other transaction', async () => {
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    return (await query(waiting)).length > 0;
  });
  await other.query('COMMIT');
  await other.release();
  await emptied;
  expect(await query('SELECT uid FROM group_member')).toEqual([]);
  expect(await query('SELECT uid FROM user_account')).toEqual([]);
});

it('connects again after a time limit that passed while the worker was busy', async () => {
  const connect = jest.spyOn(Database, 'connect').mockRejectedValueOnce(new Error('connection timeout'));
  try {
    const other = await createTestDatabase();
    await other.drop();
    expect(connect).toHaveBeenCalledTimes(2);
  } finally {
    connect.mockRestore();
  }
});
