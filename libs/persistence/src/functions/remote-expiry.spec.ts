import { daysAfter, dayOf, policyFrom } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const [ON, ENFORCED, DAYS] = ['default_expire_date', 'enforce_expire_date', 'expire_after_n_days'].map(
  (rule) => `shareapi_${rule}_remote_share`,
) as [string, string, string];

it.each<[string, Readonly<Record<string, string>>]>([
  ['nothing is set', {}],
  ['there is a default', { [ON]: 'yes' }],
  ['a default is enforced that is off', { [ENFORCED]: 'yes' }],
  ['the default is enforced', { [ON]: 'yes', [ENFORCED]: 'yes' }],
  ['another number of days is enforced', { [ON]: 'yes', [ENFORCED]: 'yes', [DAYS]: '30' }],
  ['it is not enforced', { [ON]: 'yes', [ENFORCED]: 'no', [DAYS]: '30' }],
])('the database finds the last day of federated shares as the policy does, if %s', async (_, settings) => {
  const query = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    test.database.dataSource.query<Row[]>(sql, values);
  await query('DELETE FROM setting');
  for (const [key, value] of Object.entries(settings))
    await query(`INSERT INTO setting (app, key, value) VALUES ('core', $1, $2)`, [key, value]);
  const stored = Object.entries(settings).map(([key, value]) => [`core/${key}`, value] as const);
  const { enforced, days } = policyFrom(new Map(stored)).expiry.remote;
  const [row] = await query<{ today: string; latest: string | null }>(
    'SELECT current_date::text AS today, latest_remote_expiry()::text AS latest',
  );
  const today = dayOf(new Date(row!.today));
  expect(row!.latest).toBe(enforced ? daysAfter(today, days) : null);
});
