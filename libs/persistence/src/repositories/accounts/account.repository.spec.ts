import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from './account.repository';
import { GroupRepository } from './group.repository';

let test: TestDatabase;
let accounts: AccountRepository;
let groups: GroupRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  accounts = new AccountRepository(test.database);
  groups = new GroupRepository(test.database);
});
afterAll(() => test.drop());
beforeEach(async () => {
  await run("DELETE FROM user_account; DELETE FROM user_group WHERE gid <> 'admin'");
});

const run = <Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  test.database.dataSource.query<Row[]>(sql, values);

const add = (uid: string, ...members: string[]): Promise<boolean> =>
  accounts.insert({ uid, displayName: `${uid} Example`, email: null, passwordHash: 'hash', groups: members });

async function count(table: string): Promise<number> {
  return (await run<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`))[0]!.count;
}

/** Makes a folder of the user with a file in it. @returns id of the folder */
async function addFiles(uid: string): Promise<number> {
  const [storage] = await run<{ id: number }>(
    'INSERT INTO storage (key, owner_uid) VALUES ($1, $1) RETURNING id',
    [uid],
  );
  const node = async (
    parent: number | null,
    path: string,
    blob: string | null,
    size: number,
  ): Promise<number> => {
    const [row] = await run<{ id: number }>(
      `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key)
       VALUES ($1, $2, $3, $4, $4, $5, 'x/y', $6, now(), 'e', $7) RETURNING id`,
      [storage!.id, parent, uid, path, blob ? 'file' : 'folder', size, blob],
    );
    return row!.id;
  };
  const root = await node(null, '', null, 7);
  const folder = await node(root, '/docs', null, 7);
  await node(folder, '/docs/a.txt', `${uid}-blob`, 7);
  return folder;
}

async function share(
  nodeId: number,
  owner: string,
  type: 0 | 1,
  recipient: string,
  members: string[],
): Promise<void> {
  const [row] = await run<{ id: number }>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
     VALUES ($1, $2, $3, $3, $4, $4, 31) RETURNING id`,
    [type, nodeId, owner, recipient],
  );
  for (const uid of members)
    await run('INSERT INTO share_recipient (share_id, uid, state) VALUES ($1, $2, 0)', [row!.id, uid]);
}

describe('an account', () => {
  it('is found with its groups and preferences, regardless of case', async () => {
    await groups.insert('staff');
    await add('Alice', 'staff', 'admin', 'no-such-group');
    await accounts.setPreference('Alice', 'files_sharing', 'auto_accept_share', 'yes');
    await accounts.setPreference('Alice', 'files_sharing', 'auto_accept_share', 'no');
    await groups.addSubadmin('staff', 'Alice');
    expect(await accounts.find('aLICE')).toMatchObject({
      uid: 'Alice',
      display_name: 'Alice Example',
      groups: ['admin', 'staff'],
      subadmin_of: ['staff'],
      preferences: { 'files_sharing/auto_accept_share': 'no' },
      quota_bytes: null,
      enabled: true,
    });
    expect(await accounts.find('nobody')).toBeUndefined();
  });

  it('cannot be made twice, in any case, nor simultaneously', async () => {
    expect(await add('alice')).toBe(true);
    expect(await add('ALICE')).toBe(false);
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => add(index % 2 ? 'Bob' : 'bob')));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  it('gets a new version of its credentials with every password', async () => {
    await add('alice');
    const version = async (): Promise<unknown> =>
      (await run<{ v: number }>('SELECT credentials_version AS v FROM user_account'))[0]?.v;
    await accounts.update('alice', { displayName: 'Other' });
    expect(await version()).toBe(1);
    await accounts.update('alice', { passwordHash: 'other' });
    expect(await version()).toBe(2);
  });

  it('leaves neither files nor shares when it is removed', async () => {
    await groups.insert('staff');
    for (const uid of ['alice', 'bob', 'carol']) await add(uid, 'staff');
    const [hers, his] = [await addFiles('alice'), await addFiles('bob')];
    await share(hers, 'alice', 0, 'bob', ['bob']);
    await share(his, 'bob', 0, 'alice', ['alice']);
    await share(his, 'bob', 1, 'staff', ['alice', 'carol']);
    expect(await accounts.usedBytes('alice')).toBe(7);
    expect(await accounts.remove('alice')).toBe(true);
    expect(await run('SELECT owner_uid, share_type FROM share')).toEqual([
      { owner_uid: 'bob', share_type: 1 },
    ]);
    expect(await run('SELECT uid FROM share_recipient')).toEqual([{ uid: 'carol' }]);
    expect(await run('SELECT DISTINCT owner_uid FROM node')).toEqual([{ owner_uid: 'bob' }]);
    expect(await groups.members('staff')).toEqual(['bob', 'carol']);
    expect(await accounts.usedBytes('alice')).toBe(0);
    expect(await accounts.remove('alice')).toBe(false);
  });
});

describe('a list of accounts', () => {
  beforeEach(async () => {
    await groups.insert('staff');
    for (const uid of ['a_c', 'abc', 'Zoe', 'a%c']) await add(uid);
    await groups.addMember('staff', 'abc');
  });

  it.each<[string, [string, number | null, number, readonly string[] | null], string[]]>([
    ['all, in the order of their ids', ['', null, 0, null], ['Zoe', 'a%c', 'a_c', 'abc']],
    ['a page', ['', 2, 1, null], ['a%c', 'a_c']],
    ['no page at all', ['', 0, 0, null], []],
    ['those that hold a text, regardless of case', ['ZO', null, 0, null], ['Zoe']],
    ['wild cards as they are', ['_', null, 0, null], ['a_c']],
    ['wild cards as they are', ['%', null, 0, null], ['a%c']],
    ['a backslash as it is', ['\\', null, 0, null], []],
    ['display names too', ['abc exam', null, 0, null], ['abc']],
    ['members of a group', ['', null, 0, ['staff']], ['abc']],
    ['members of no group', ['', null, 0, []], []],
  ])('has %s', async (_, [search, limit, offset, within], uids) => {
    expect(await accounts.list(search, limit, offset, within)).toEqual(uids);
  });
});

describe('the first account', () => {
  const first = (uid: string): Promise<boolean> =>
    accounts.insertFirst({ uid, displayName: uid, email: null, passwordHash: 'hash', groups: ['admin'] });

  it('is made by one of several at once, and never a second time', async () => {
    const made = await Promise.all([first('one'), first('two'), first('three')]);
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await count('user_account')).toBe(1);
    expect(await groups.members('admin')).toHaveLength(1);
    expect(await first('four')).toBe(false);
  });
});

describe('a group', () => {
  it('that is removed loses its shares and memberships, but no user', async () => {
    await groups.insert('staff');
    for (const uid of ['alice', 'bob']) await add(uid, 'staff');
    await groups.addSubadmin('staff', 'alice');
    const folder = await addFiles('alice');
    await share(folder, 'alice', 1, 'staff', ['bob']);
    await share(folder, 'alice', 0, 'bob', ['bob']);
    expect(await groups.remove('staff')).toEqual(['alice', 'bob']);
    expect(await run('SELECT share_type FROM share')).toEqual([{ share_type: 0 }]);
    expect(await count('share_recipient')).toBe(1);
    expect(await count('group_subadmin')).toBe(0);
    expect((await accounts.find('bob'))?.groups).toEqual([]);
    expect(await groups.remove('staff')).toEqual([]);
  });

  it('loses the places of its shares for a member who leaves', async () => {
    await groups.insert('staff');
    for (const uid of ['alice', 'bob', 'carol']) await add(uid, 'staff');
    const folder = await addFiles('alice');
    await share(folder, 'alice', 1, 'staff', ['bob', 'carol']);
    await share(folder, 'alice', 0, 'bob', ['bob']);
    await groups.removeMember('staff', 'bob');
    expect(await run('SELECT uid FROM share_recipient ORDER BY uid')).toEqual([
      { uid: 'bob' },
      { uid: 'carol' },
    ]);
    expect(await groups.members('staff')).toEqual(['alice', 'carol']);
  });

  it('has ids that differ by case', async () => {
    expect(await groups.insert('Staff')).toBe(true);
    expect(await groups.insert('staff')).toBe(true);
    expect(await groups.insert('staff')).toBe(false);
    expect(await groups.exists('STAFF')).toBe(false);
    expect(await groups.list('STA', null, 0, null)).toEqual(['Staff', 'staff']);
    expect(await groups.list('', null, 0, ['staff'])).toEqual(['staff']);
  });
});
