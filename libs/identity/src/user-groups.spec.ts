import { AccountRepository, ChangeFeed, ExternalGroupRepository, GroupRepository } from '#persistence';
import { countStatements } from '../../testing/src/rigs/statement-count';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { AccountDirectory } from './account-directory';
import { administrationOn } from './administration';
import { UserAccounts } from './user-accounts';
import { UserGroups } from './user-groups';

let test: TestDatabase;
let feed: ChangeFeed;
let groups: UserGroups;
/** The same groups in another process, which does not hear this one. */
let elsewhere: UserGroups;
let users: UserAccounts;

beforeAll(async () => {
  test = await createTestDatabase();
  const made = administrationOn(test.database, { COMPATIBILITY: 'owncloud10' });
  ({ groups: elsewhere, users } = made);
  feed = new ChangeFeed(test.url);
  await feed.start();
  groups = new UserGroups(
    new GroupRepository(test.database),
    new ExternalGroupRepository(test.database),
    made.users,
    new AccountDirectory(new AccountRepository(test.database), feed),
    feed,
  );
});
afterAll(async () => {
  await feed.stop();
  await test.drop();
});

describe('a group for new shares', () => {
  it('is kept in memory, but not while there is none', async () => {
    expect(await groups.isKnown('staff')).toBe(false);
    await elsewhere.create('staff');
    expect(await groups.isKnown('staff')).toBe(true);
    // The announcement of the new group drops what was read before it.
    const reads = () => countStatements(test.database, () => groups.isKnown('staff'));
    await eventually('the group is kept', async () => (await reads()) === 0, 60_000);
    expect(await groups.isKnown('staff')).toBe(true);
    expect(await groups.isKnown('Staff')).toBe(false);
  });

  it('is unknown as soon as it was removed here, and soon after it was removed elsewhere', async () => {
    await groups.create('mine');
    expect(await groups.isKnown('mine')).toBe(true);
    await groups.remove('mine');
    expect(await groups.isKnown('mine')).toBe(false);
    await elsewhere.create('theirs');
    expect(await groups.isKnown('theirs')).toBe(true);
    await elsewhere.remove('theirs');
    await eventually('the removal is heard', async () => !(await groups.isKnown('theirs')), 60_000);
  });
});

/** Runs `work` with groups whose rows are deleted just before a membership is stored. */
function duringADeletion<T>(statement: string, work: (groups: UserGroups) => Promise<T>): Promise<T> {
  class Deleted extends GroupRepository {
    override async addMember(gid: string, uid: string): Promise<boolean> {
      await test.database.dataSource.query(statement);
      return super.addMember(gid, uid);
    }

    override async addSubadmin(gid: string, uid: string): Promise<boolean> {
      await test.database.dataSource.query(statement);
      return super.addSubadmin(gid, uid);
    }
  }
  const directory = new AccountDirectory(new AccountRepository(test.database), feed);
  const external = new ExternalGroupRepository(test.database);
  return work(new UserGroups(new Deleted(test.database), external, users, directory, feed));
}

describe('a membership', () => {
  beforeEach(async () => {
    await test.database.dataSource.query('DELETE FROM user_account; DELETE FROM user_group');
    await users.create({ uid: 'alice', password: 'a-long-password' });
    await elsewhere.create('brief');
  });

  const deletions = [
    ['a group', 'DELETE FROM user_group', 'group-unknown'],
    ['an account', 'DELETE FROM user_account', 'user-unknown'],
  ] as const;

  it.each(deletions)(
    'of %s that is deleted meanwhile is refused as of an unknown one',
    async (_, statement, reason) => {
      await duringADeletion(statement, async (deleted) => {
        await expect(deleted.join('brief', 'alice')).rejects.toMatchObject({ reason });
      });
    },
  );

  it.each(deletions)(
    'as administrator, of %s that is deleted meanwhile, too',
    async (_, statement, reason) => {
      await duringADeletion(statement, async (deleted) => {
        await expect(deleted.addSubadmin('brief', 'alice')).rejects.toMatchObject({ reason });
      });
    },
  );
});
