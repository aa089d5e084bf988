import type { PoolClient } from 'pg';
import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { SharedPostgres } from './shared-postgres';

describe('the connection to the queue in Postgres', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('prepares each statement once', async () => {
    const shared = new SharedPostgres(test.url, 1);
    try {
      await shared.waitUntilReady();
      for (const value of ['a', 'b']) {
        const { rows } = await shared.pool.query<{ value: string }>('SELECT $1::text AS value', [value]);
        expect(rows).toEqual([{ value }]);
      }
      const prepared = 'SELECT name FROM pg_prepared_statements WHERE statement = $1';
      const { rows } = await shared.pool.query<{ name: string }>(prepared, ['SELECT $1::text AS value']);
      expect(rows).toHaveLength(1);
    } finally {
      await shared.close();
    }
  });

  it('does not wait for the disk, and finds the tables of the queue', async () => {
    const shared = new SharedPostgres(test.url, 1);
    try {
      await shared.waitUntilReady();
      const settings = `SELECT current_setting('synchronous_commit') AS commits, current_setting('search_path') AS schemas`;
      const { rows } = await shared.pool.query(settings);
      expect(rows).toEqual([{ commits: 'off', schemas: '"bullmq"' }]);
    } finally {
      await shared.close();
    }
  });

  it('keeps the process alive when PostgreSQL ends a connection during the first look at the tables', async () => {
    const shared = new SharedPostgres(test.url, 1);
    const client = (await shared.pool.connect()) as unknown as PoolClient;
    try {
      expect(() => client.emit('error', new Error('terminating connection'))).not.toThrow();
    } finally {
      client.release();
      await shared.close();
    }
  });

  it('opens no connection after its end', async () => {
    const shared = new SharedPostgres(test.url, 1);
    await shared.waitUntilReady();
    await shared.close();
    await expect(shared.getListenClient()).rejects.toThrow('closed');
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'drawbridge queue'`;
    await eventually(
      'the end of its connections',
      async () => (await test.database.dataSource.query<unknown[]>(sessions)).length === 0,
    );
  });
});
