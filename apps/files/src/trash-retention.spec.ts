import { TrashExpiryRepository } from '#persistence';
import { RuntimeSettings } from '#settings';
import { parsePath, TrashBin, userView } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../../libs/testing/src/rigs/storage-problems';

let files: FilesApp;
let run = 0;
let alice: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  alice = `alice${++run}`;
  await files.addUsers(alice);
  await files.dav('MKCOL', alice, '/folder');
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);
const kept = async (): Promise<string[]> =>
  (await files.get(TrashBin).list(alice)).map((entry) => entry.originalPath);

describe('deletions past the trash bin', () => {
  const setting = (key: string, value: string): Promise<void> =>
    files.get(RuntimeSettings).set('system', key, value);
  const putAndDelete = async (uid: string, path: string, body = 'content'): Promise<void> => {
    await files.dav('PUT', uid, path, { body: 'before' });
    await files.dav('PUT', uid, path, { body });
    expect(await status(files.dav('DELETE', uid, path))).toBe(204);
  };
  beforeEach(async () => {
    await setting('trashbin_skip_extensions', '["tmp"]');
    await setting('trashbin_skip_directories', '["scratch"]');
    await setting('trashbin_skip_size_threshold', '10');
  });
  afterEach(async () => {
    for (const key of ['extensions', 'directories', 'size_threshold'])
      await files.get(RuntimeSettings).unset('system', `trashbin_skip_${key}`);
    expect(await storageProblems(files)).toEqual([]);
  });

  it('include nodes that the settings name, by extension, folder and size, with versions and contents', async () => {
    const stored = files.storedFiles().length;
    await files.dav('MKCOL', alice, '/scratch');
    await putAndDelete(alice, '/folder/a.TMP');
    await putAndDelete(alice, '/scratch/a.txt');
    await putAndDelete(alice, '/folder/large.txt', 'x'.repeat(11));
    expect(await status(files.dav('DELETE', alice, '/scratch'))).toBe(204);
    expect(await kept()).toEqual([]);
    expect(files.storedFiles().length).toBe(stored);
    await putAndDelete(alice, '/folder/a.txt');
    await files.dav('PUT', alice, '/folder/inside.tmp', { body: 'x'.repeat(11) });
    await files.dav('DELETE', alice, '/folder');
    expect((await kept()).sort()).toEqual(['folder', 'folder/a.txt']);
  });

  it('do not include deletions by others', async () => {
    const brian = `brian${run}`;
    await files.addUsers(brian);
    await files.share({ path: '/folder', owner: alice, recipient: brian, permissions: 31 });
    await putAndDelete(brian, '/folder/a.tmp', 'x'.repeat(11));
    expect(await kept()).toEqual(['folder/a.tmp']);
  });

  it('end the shares of the node', async () => {
    const brian = `brian${run}`;
    await files.addUsers(brian);
    await files.dav('PUT', alice, '/given.tmp', { body: 'given' });
    await files.share({ path: '/given.tmp', owner: alice, recipient: brian });
    expect(await status(files.dav('GET', brian, '/given.tmp'))).toBe(200);
    await files.dav('DELETE', alice, '/given.tmp');
    expect(await status(files.dav('GET', brian, '/given.tmp'))).toBe(404);
    expect(await query('SELECT FROM share WHERE owner_uid = $1', alice)).toEqual([]);
  });
});

describe('nodes that stay in the trash bin', () => {
  const setting = (key: string, value: string): Promise<void> =>
    files.get(RuntimeSettings).set('files_trashbin', key, value);
  afterEach(async () => {
    for (const key of ['retention_days', 'quota_percent'])
      await files.get(RuntimeSettings).unset('files_trashbin', key);
  });
  const age = (path: string, days: number): Promise<unknown> =>
    query(
      `UPDATE trashed_node SET deleted_at = deleted_at - $3 * interval '1 day' WHERE owner_uid = $1 AND name = $2`,
      alice,
      path,
      days,
    );

  it('are removed after thirty days, or after the setting, or never with 0', async () => {
    for (const name of ['old.txt', 'older.txt']) {
      await files.dav('PUT', alice, `/${name}`, { body: name });
      await files.dav('DELETE', alice, `/${name}`);
    }
    await files.dav('DELETE', alice, '/folder');
    await age('old.txt', 29);
    await age('older.txt', 31);
    const expiry = new TrashExpiryRepository(files.database);
    await setting('retention_days', '0');
    await expiry.removeExpired();
    expect((await kept()).sort()).toEqual(['folder', 'old.txt', 'older.txt']);
    await files.get(RuntimeSettings).unset('files_trashbin', 'retention_days');
    await expiry.removeExpired();
    expect((await kept()).sort()).toEqual(['folder', 'old.txt']);
    await setting('retention_days', '1');
    await expiry.removeExpired();
    expect(await kept()).toEqual(['folder']);
  });

  it('have half of the quota in addition, or the percentage of the setting; the oldest is removed first', async () => {
    await query('UPDATE user_account SET quota_bytes = 100 WHERE uid = $1', alice);
    const trash = async (name: string, bytes: number): Promise<void> => {
      await files.dav('PUT', alice, `/${name}`, { body: 'x'.repeat(bytes) });
      await files.dav('DELETE', alice, `/${name}`);
    };
    await trash('1.txt', 20);
    await age('1.txt', 2);
    await trash('2.txt', 20);
    await age('2.txt', 1);
    const stored = files.storedFiles().length;
    await trash('3.txt', 20);
    expect((await kept()).sort()).toEqual(['2.txt', '3.txt']);
    expect(files.storedFiles().length).toBe(stored);
    await setting('quota_percent', '10');
    await trash('4.txt', 20);
    expect(await kept()).toEqual([]);
    await setting('quota_percent', '0');
    await trash('5.txt', 60);
    expect(await kept()).toEqual(['5.txt']);
  });

  it('do not count to the quota', async () => {
    await query('UPDATE user_account SET quota_bytes = 100 WHERE uid = $1', alice);
    await setting('quota_percent', '0');
    for (const name of ['a.txt', 'b.txt']) {
      expect(await status(files.dav('PUT', alice, `/${name}`, { body: 'x'.repeat(80) }))).toBe(201);
      await files.dav('DELETE', alice, `/${name}`);
    }
    await files.dav('PUT', alice, '/c.txt', { body: 'x'.repeat(80) });
    const entry = (await files.get(TrashBin).list(alice)).find(({ row }) => row.name === 'a.txt');
    await expect(
      files.get(TrashBin).restore(userView(alice), entry!.row.id, parsePath('/a.txt'), false),
    ).rejects.toMatchObject({ code: 'quota-exceeded' });
  });

  it('keep an entry that is restored over another one, which has no room beside it', async () => {
    await query('UPDATE user_account SET quota_bytes = 100 WHERE uid = $1', alice);
    const path = '/a.txt';
    await files.dav('PUT', alice, path, { body: '1'.repeat(30) });
    await files.dav('DELETE', alice, path);
    await files.dav('PUT', alice, path, { body: '2'.repeat(30) });
    const [entry] = await files.get(TrashBin).list(alice);
    const restored = await files.get(TrashBin).restore(userView(alice), entry!.row.id, parsePath(path), true);
    expect(restored).toMatchObject({ replaced: true, node: { row: { id: entry!.row.id } } });
    expect(await (await files.dav('GET', alice, path)).text()).toBe('1'.repeat(30));
    expect(await kept()).toEqual(['a.txt']);
    expect(await storageProblems(files)).toEqual([]);
  });
});
