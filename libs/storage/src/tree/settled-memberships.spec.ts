import { SecretBox } from '#platform';
import { AccountRepository, GroupRepository, ShareRepository } from '#persistence';
import { settingsOn } from '#settings';
import { daysAfter, dayOf, SHARE_TYPES, type NewRecipientShare, type SharedNode } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { ReceivedShares } from './received-shares';

const ADD_FILE = `
  WITH home AS (
    INSERT INTO storage (key, owner_uid) VALUES ($1, $1)
    ON CONFLICT (owner_uid) WHERE received_share_id IS NULL DO UPDATE SET key = EXCLUDED.key RETURNING id
  ), root AS (
    INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT id, $1, '', '', 'folder', 'httpd/unix-directory', now(), 'etag' FROM home
    ON CONFLICT (storage_id, path_hash) DO UPDATE SET etag = 'etag' RETURNING id, storage_id
  )
  INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key)
  SELECT storage_id, id, $1, $2, '/' || $2, 'file', 'text/plain', now(), 'etag', $1 || '/' || $2 FROM root
  RETURNING id::integer AS id`;

describe('memberships whose shares all have rows', () => {
  let test: TestDatabase;
  let received: ReceivedShares;
  let shares: ShareRepository;
  let files = 0;

  const query = <T = { id: number }>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);
  const addFile = async (uid: string): Promise<number> =>
    (await query(ADD_FILE, [uid, `file-${++files}.txt`]))[0]!.id;
  const shareWithTeam = async (nodeId: number, more: Partial<NewRecipientShare> = {}): Promise<number> => {
    const node: SharedNode = {
      ...{
        nodeId,
        kind: 'file' as const,
        name: 'x',
        ownerPath: '/x',
        ownerUid: more.initiatorUid ?? 'alice',
      },
      ...{ mimetype: 'text/plain', storageId: 1, parentId: 1, isRemote: false },
    };
    const made = await shares.insert({
      ...{ type: SHARE_TYPES.group, recipient: 'team', node, initiatorUid: 'alice', permissions: 19 },
      ...{ fileTarget: `/shared-${nodeId}.txt`, expiresOn: null, attributes: null, note: null },
      ...{ initialState: 'accepted' as const, ...more },
    });
    if (typeof made === 'string') throw new Error(made);
    return made.id;
  };
  const settledUpTo = async (uid = 'bob'): Promise<number> => {
    const rows = await query<{ id: string }>(
      "SELECT settled_up_to AS id FROM group_member WHERE uid = $1 AND gid = 'team'",
      [uid],
    );
    return Number(rows[0]!.id);
  };
  const placesOf = async (uid = 'bob'): Promise<number[]> =>
    (
      await query<{ id: string }>(
        'SELECT share_id AS id FROM share_recipient WHERE uid = $1 AND file_target IS NOT NULL ORDER BY 1',
        [uid],
      )
    ).map(({ id }) => Number(id));

  beforeAll(async () => {
    test = await createTestDatabase();
    received = new ReceivedShares(
      test.database,
      settingsOn(test.database, { COMPATIBILITY: 'owncloud10' }).policy,
    );
    shares = new ShareRepository(test.database, new SecretBox(() => Buffer.alloc(32, 7)));
  });
  afterAll(() => test.drop());

  beforeEach(async () => {
    await test.empty('user_account');
    await query("DELETE FROM user_group WHERE gid <> 'admin'");
    const accounts = new AccountRepository(test.database);
    for (const uid of ['alice', 'bob', 'carol'])
      await accounts.insert({ uid, displayName: uid, email: null, passwordHash: '-', groups: [] });
    const groups = new GroupRepository(test.database);
    await groups.insert('team');
    for (const uid of ['alice', 'bob']) await groups.addMember('team', uid);
  });

  it('remember the last share, and look only at newer ones', async () => {
    const first = await shareWithTeam(await addFile('alice'));
    expect(await received.place('bob')).toBe(true);
    expect(await settledUpTo()).toBe(first);
    expect(await received.place('bob')).toBe(false);
    // It would be noticed if the earlier share was still compared.
    await query('DELETE FROM share_recipient');
    expect(await received.place('bob')).toBe(false);
    const second = await shareWithTeam(await addFile('alice'));
    expect(await received.place('bob')).toBe(true);
    expect(await placesOf()).toEqual([second]);
    expect(await settledUpTo()).toBe(second);
  });

  it('do not pass a share that is still under way', async () => {
    const file = await addFile('alice');
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: written, resolve: begun } = Promise.withResolvers<void>();
    let slow = 0;
    const underWay = test.database.dataSource.transaction(async (manager) => {
      await manager.query("SELECT FROM user_group WHERE gid = 'team' FOR KEY SHARE");
      const [made] = await manager.query<{ id: number }[]>(
        `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, initial_state)
         VALUES (1, $1, 'alice', 'alice', 'team', 'team', 19, '/slow.txt', 0) RETURNING id::integer AS id`,
        [file],
      );
      slow = made!.id;
      begun();
      await opened;
    });
    await written;
    try {
      const quick = await shareWithTeam(await addFile('alice'));
      expect(quick).toBeGreaterThan(slow);
      expect(await received.place('bob')).toBe(true);
      expect(await placesOf()).toEqual([quick]);
      expect(await settledUpTo()).toBe(0);
    } finally {
      open();
      await underWay;
    }
    expect(await received.place('bob')).toBe(true);
    expect(await placesOf()).toEqual([slow, slow + 1]);
    expect(await settledUpTo()).toBe(slow + 1);
  });

  it('are not waited for while somebody else changes them', async () => {
    const share = await shareWithTeam(await addFile('alice'));
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: locked, resolve: hold } = Promise.withResolvers<void>();
    const other = test.database.dataSource.transaction(async (manager) => {
      await manager.query('UPDATE group_member SET settled_up_to = settled_up_to');
      hold();
      await opened;
    });
    await locked;
    const late = setTimeout(open, 60_000);
    const placed = received.place('bob').then(() => 'placed');
    const first = await Promise.race([placed, opened.then(() => 'waited')]);
    clearTimeout(late);
    open();
    await Promise.all([other, placed]);
    expect(first).toBe('placed');
    expect(await placesOf()).toEqual([share]);
    expect(await settledUpTo()).toBe(0);
  }, 120_000);

  it.each([
    ['expired', { expiresOn: daysAfter(dayOf(new Date()), -3) }, 'UPDATE share SET expires_on = NULL'],
    ['is in the trash bin', {}, 'UPDATE share SET trashed_at = NULL'],
  ] as const)('a share that %s is placed when it comes back', async (name, more, revive) => {
    await shareWithTeam(await addFile('alice'), more);
    if (name !== 'expired') await query('UPDATE share SET trashed_at = now()');
    const later = await shareWithTeam(await addFile('alice'));
    await received.place('bob');
    expect(await placesOf()).toEqual([later]);
    expect(await settledUpTo()).toBe(later);
    await query(revive);
    expect(await received.place('bob')).toBe(true);
    expect(await placesOf()).toHaveLength(2);
  });

  it('a former owner gets their row', async () => {
    const share = await shareWithTeam(await addFile('alice'));
    await received.place('bob');
    await received.place('alice');
    expect(await placesOf('alice')).toEqual([]);
    const later = await shareWithTeam(await addFile('carol'), { initiatorUid: 'carol' });
    expect(await received.place('alice')).toBe(true);
    expect(await settledUpTo('alice')).toBe(later);
    await query("UPDATE share SET owner_uid = 'carol' WHERE id = $1", [share]);
    expect(await received.place('alice')).toBe(true);
    // They made the share, so they have it as a declined one.
    const rows = await query("SELECT state FROM share_recipient WHERE uid = 'alice' AND share_id = $1", [
      share,
    ]);
    expect(rows).toEqual([{ state: 2 }]);
  });

  it('are settled if they have rows for more than fifty shares', async () => {
    const withRow = async (): Promise<void> => {
      await query(
        "INSERT INTO share_recipient (share_id, uid, state, file_target) VALUES ($1, 'bob', 0, '/x.txt')",
        [await shareWithTeam(await addFile('alice'))],
      );
    };
    for (let count = 0; count < 50; count++) await withRow();
    expect(await received.place('bob')).toBe(false);
    expect(await settledUpTo()).toBe(0);
    await withRow();
    expect(await received.place('bob')).toBe(true);
    expect(await settledUpTo()).toBeGreaterThan(0);
    expect(await received.place('bob')).toBe(false);
  });

  it('a new membership begins without any', async () => {
    const share = await shareWithTeam(await addFile('alice'));
    await received.place('bob');
    const groups = new GroupRepository(test.database);
    await groups.removeMember('team', 'bob');
    expect(await placesOf()).toEqual([]);
    await groups.addMember('team', 'bob');
    expect(await received.place('bob')).toBe(true);
    expect(await placesOf()).toEqual([share]);
  });
});
