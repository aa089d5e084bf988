import { missingMigrations } from '#persistence';
import { createTestDatabase, type TestDatabase } from '#testing';

describe('a test database', () => {
  let first: TestDatabase;
  let second: TestDatabase;

  beforeAll(async () => {
    first = await createTestDatabase();
    second = await createTestDatabase();
  });
  afterAll(async () => {
    await first.drop();
    await second.drop();
  });

  it('has all migrations', async () => {
    expect(await missingMigrations(first.database)).toEqual([]);
  });

  it('a row in one test database is not in another', async () => {
    await first.database.dataSource.query(`INSERT INTO user_group (gid) VALUES ('only-here')`);
    const groups = await second.database.dataSource.query<{ gid: string }[]>('SELECT gid FROM user_group');
    expect(groups.map((group) => group.gid)).not.toContain('only-here');
  });
});
