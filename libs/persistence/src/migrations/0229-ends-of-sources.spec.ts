import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { EndsOfSources1764000000229 } from './0229-ends-of-sources';

const END = '2026-05-01 10:00:00.123456+00';

describe('the migration that notes which ends of accounts sources requested', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const query = <Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    test.database.dataSource.query<Row[]>(sql, values);

  it.each([
    ['ldap', '2026-05-01 10:00:00.9+00', true],
    ['ldap', '2026-04-30 10:00:00+00', false],
    ['scim', '2026-05-01 10:00:00.123+00', true],
    ['scim', '2026-05-01 10:00:00.9+00', false],
    ['scim', null, false],
  ])('compares the mark of %s at %s with the time of the end', async (kind, goneAt, isOwn) => {
    const uid = `${kind}-${goneAt}`;
    await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ($1, '-', '-')`, [uid]);
    await query(
      `INSERT INTO external_identity (kind, source, subject, uid, managed_fields, gone_at) VALUES ($1, 'one', $2, $2, '{}', $3)`,
      [kind, uid, goneAt],
    );
    await query(
      `INSERT INTO account_end (uid, due_at, was_enabled, pseudonym, requested_at) VALUES ($1, now(), true, '-', $2)`,
      [uid, END],
    );
    const runner = test.database.dataSource.createQueryRunner();
    try {
      await new EndsOfSources1764000000229().up(runner);
    } finally {
      await runner.release();
    }
    const marked = await query(
      'SELECT FROM external_identity i JOIN account_end a USING (uid) WHERE uid = $1 AND i.gone_at = a.requested_at',
      [uid],
    );
    expect(marked).toHaveLength(isOwn ? 1 : 0);
  });
});
