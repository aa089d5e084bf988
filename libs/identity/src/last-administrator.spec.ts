import { createTestDatabase, type TestDatabase } from '#testing';
import type { AccountEnds } from './account-end/account-ends';
import { accountEndsOn, administrationOn } from './administration';

const MODE = { COMPATIBILITY: 'documented' } as const;
const PASSWORD = 'a password of the specs';
const REFUSED = { reason: 'last-administrator' };

let test: TestDatabase;
let users: ReturnType<typeof administrationOn>['users'];
let groups: ReturnType<typeof administrationOn>['groups'];
let ends: AccountEnds;

beforeEach(async () => {
  test = await createTestDatabase();
  ({ users, groups } = administrationOn(test.database, MODE));
  ends = accountEndsOn(test.database);
  await users.create({ uid: 'boss', password: PASSWORD, groups: ['admin'] });
  await users.create({ uid: 'alice', password: PASSWORD });
});
afterEach(() => test.drop());

const WAYS: readonly [string, (uid: string) => Promise<unknown>][] = [
  ['deleted', (uid) => users.remove(uid)],
  ['disabled', (uid) => users.setEnabled(uid, false)],
  ['ended', (uid) => ends.request(uid, {})],
  ['removed from the group of administrators', (uid) => groups.leave('admin', uid)],
];

describe('the last enabled administrator', () => {
  it.each(WAYS)('is not %s', async (_, without) => {
    await users.create({ uid: 'former', password: PASSWORD, groups: ['admin'] });
    await users.setEnabled('former', false);
    await expect(without('BOSS')).rejects.toMatchObject(REFUSED);
    expect(await users.get('boss')).toMatchObject({ enabled: true, isAdmin: true });
    expect(await ends.state('boss')).toBeUndefined();
    await without('former');
    await without('alice');
    await users.create({ uid: 'next', password: PASSWORD, groups: ['admin'] });
    await without('boss');
  });

  it.each(WAYS)('remains when two are %s at the same time', async (_, without) => {
    const bosses = ['boss', ...['boss-2', 'boss-3', 'boss-4']];
    for (const uid of bosses.slice(1)) await users.create({ uid, password: PASSWORD, groups: ['admin'] });
    const done = await Promise.allSettled(bosses.map(without));
    expect(done.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: expect.objectContaining(REFUSED) as unknown },
    ]);
  });
});
