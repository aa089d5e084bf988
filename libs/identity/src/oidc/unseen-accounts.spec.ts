import { readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { administrationOn } from '../administration';
import { oidcSource } from './oidc-settings';
import { unseenAccountsOn } from './unseen-accounts';

const config = readConfig({
  OIDC_ISSUER: 'https://id.example',
  OIDC_AUDIENCE: 'cloud',
  OIDC_UNSEEN_DAYS: '30',
});
const source = oidcSource(config);
let test: TestDatabase;
let administration: ReturnType<typeof administrationOn>;

beforeAll(async () => {
  test = await createTestDatabase();
  administration = administrationOn(test.database, config);
  for (const name of ['seen', 'unseen', 'gone'])
    await administration.sourceAccounts.keep(source, { subject: `s-${name}`, name });
  await administration.users.create({ uid: 'local', password: 'a-password-of-the-spec' });
  await administration.users.setEnabled('gone', false);
  await test.database.dataSource.query(
    `UPDATE external_identity SET seen_at = now() - interval '31 days' WHERE subject <> 's-seen'`,
  );
});
afterAll(() => test.drop());

async function isEnabled(uid: string): Promise<boolean> {
  const sql = 'SELECT enabled FROM user_account WHERE uid = $1';
  const [row] = await test.database.dataSource.query<{ enabled: boolean }[]>(sql, [uid]);
  return row!.enabled;
}

it('disables accounts that the issuer did not report for a long time, until it does', async () => {
  await unseenAccountsOn(test.database, config)!.disable();
  expect(await isEnabled('seen')).toBe(true);
  expect(await isEnabled('local')).toBe(true);
  expect(await isEnabled('unseen')).toBe(false);
  await administration.sourceAccounts.enable(source, 's-unseen');
  expect(await isEnabled('unseen')).toBe(true);
});

it('does not change an account that an administrator disabled', async () => {
  await administration.sourceAccounts.enable(source, 's-gone');
  expect(await isEnabled('gone')).toBe(false);
});

it('disables nobody if no time is configured', () => {
  expect(unseenAccountsOn(test.database, { ...config, OIDC_UNSEEN_DAYS: undefined })).toBeUndefined();
});
