import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { administrationOn, createFirstAdministrator } from './administration';
import { ProvisioningFailed } from './provisioning-failed';

const MODE = { COMPATIBILITY: 'owncloud10' } as const;

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('the first administrator', () => {
  it('the first administrator is made once by two processes that start together', async () => {
    const made = await Promise.all(
      ['root', 'admin'].map((uid) =>
        createFirstAdministrator(test.database, MODE, { uid, password: 'secret' }),
      ),
    );
    expect(made.sort()).toEqual([false, true]);
    const { users } = administrationOn(test.database, MODE);
    const [uid, ...others] = await users.list();
    expect(others).toEqual([]);
    expect(await users.get(uid!)).toMatchObject({ isAdmin: true, groups: ['admin'], enabled: true });
    expect(await createFirstAdministrator(test.database, MODE, { uid: 'later', password: 'secret' })).toBe(
      false,
    );
  });

  it.each([
    [{ uid: 'x', password: 'secret' }, 'user-id-refused'],
    [{ uid: 'admin', password: ' ' }, 'password-refused'],
  ])('is refused like any other user: %j', async (administrator, reason) => {
    const made = createFirstAdministrator(test.database, MODE, administrator);
    await expect(made).rejects.toThrow(ProvisioningFailed);
    await expect(made).rejects.toMatchObject({ reason });
  });
});

describe('an account that several make at once', () => {
  it('is made by one of them', async () => {
    const { users } = administrationOn(test.database, MODE);
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => users.create({ uid: 'carol', password: 'secret' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results.filter(({ status }) => status === 'rejected'))
      expect((result as PromiseRejectedResult).reason).toMatchObject({ reason: 'user-exists' });
  });
});
