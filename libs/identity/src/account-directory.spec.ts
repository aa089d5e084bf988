import { AccountRepository, ChangeFeed } from '#persistence';
import { countStatements } from '../../testing/src/rigs/statement-count';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { AccountDirectory } from './account-directory';
import { administrationOn } from './administration';

let test: TestDatabase;
let feed: ChangeFeed;
let directory: AccountDirectory;

beforeAll(async () => {
  test = await createTestDatabase();
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'owncloud10' });
  for (const uid of ['Alice', 'bob', 'carol']) await users.create({ uid, password: 'secret' });
  feed = new ChangeFeed(test.url);
  await feed.start();
  directory = new AccountDirectory(new AccountRepository(test.database), feed);
});
afterAll(async () => {
  await feed.stop();
  await test.drop();
});

describe('the directory of accounts', () => {
  it('finds by id regardless of case, and reads an account once', async () => {
    expect(directory.peek('alice')).toBeUndefined();
    const read = await countStatements(test.database, async () => {
      for (const uid of ['Alice', 'alice', 'ALICE']) expect((await directory.find(uid))?.uid).toBe('Alice');
    });
    expect(read).toBe(1);
    expect(directory.peek('aLiCe')?.uid).toBe('Alice');
  });

  it('finds many with one statement, and with none when all are cached', async () => {
    const find = async (): Promise<void> => {
      const found = await directory.findMany(['Alice', 'bob', 'carol', 'bob']);
      expect([...found.keys()].sort()).toEqual(['Alice', 'bob', 'carol']);
    };
    expect(await countStatements(test.database, find)).toBe(1);
    expect(await countStatements(test.database, find)).toBe(0);
  });

  it('does not find an account that does not exist', async () => {
    expect(await directory.find('nobody')).toBeUndefined();
    expect((await directory.findMany(['nobody'])).size).toBe(0);
    expect((await directory.findMany([])).size).toBe(0);
  });

  it('follows changes by other processes', async () => {
    await directory.find('bob');
    const { users, groups } = administrationOn(test.database, { COMPATIBILITY: 'owncloud10' });
    await groups.create('staff');
    await groups.join('staff', 'bob');
    await eventually(
      'the membership is heard',
      async () => (await directory.find('bob'))?.groups.includes('staff'),
      1000,
    );
    await users.setDisplayName('bob', 'Bob Example');
    await eventually(
      'the name is heard',
      async () => (await directory.find('bob'))?.displayName === 'Bob Example',
      1000,
    );
  });
});
