import { VersionExpiryRepository, VersionRepository, type VersionRow } from '#persistence';
import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../../libs/testing/src/rigs/storage-problems';

let files: FilesApp;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
});
// After every test, the counts and the content of the blob store match the versions.
afterEach(async () => {
  expect(await storageProblems(files)).toEqual([]);
});

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);
const put = async (uid: string, path: string, body: string): Promise<number> =>
  (await files.dav('PUT', uid, path, { body })).status;
const versionsOf = async (uid: string, path: string): Promise<VersionRow[]> => {
  const id = Number(await files.property(uid, path, 'oc:fileid'));
  return new VersionRepository(files.database).list(id);
};
const sizesOf = async (uid: string, path: string): Promise<number[]> =>
  (await versionsOf(uid, path)).map(({ size }) => size);

describe('versions of files', () => {
  it('are the contents before each overwrite, with checksum, time and author', async () => {
    const stored = files.storedFiles().length;
    await files.dav('PUT', alice, '/a.txt', { body: '1', headers: { 'x-oc-mtime': '1500000000' } });
    expect(await versionsOf(alice, '/a.txt')).toEqual([]);
    expect(await put(alice, '/a.txt', '22')).toBe(204);
    expect(await put(alice, '/a.txt', '333')).toBe(204);
    const versions = await versionsOf(alice, '/a.txt');
    expect(versions.map(({ size }) => size)).toEqual([2, 1]);
    expect(versions[1]).toMatchObject({
      mtime: new Date(1_500_000_000_000),
      authorKind: 'user',
      author: alice,
      checksum: expect.stringContaining('MD5:c4ca4238a0b923820dcc509a6f75849b'),
    });
    expect(files.storedFiles().length).toBe(stored + 3);
  });

  it('are made once for a content that is sent again with the same time', async () => {
    const again = { body: 'same', headers: { 'x-oc-mtime': '1500000000' } };
    const stored = files.storedFiles().length;
    for (let time = 1; time <= 3; time++) await files.dav('PUT', alice, '/again.txt', again);
    expect(await sizesOf(alice, '/again.txt')).toEqual([4]);
    expect(files.storedFiles().length).toBe(stored + 2);
    await files.dav('PUT', alice, '/again.txt', { ...again, body: 'else' });
    await files.dav('PUT', alice, '/again.txt', again);
    expect(await sizesOf(alice, '/again.txt')).toEqual([4, 4]);
  });

  it('are not made of empty contents, which clients send before the real ones', async () => {
    const stored = files.storedFiles().length;
    await put(alice, '/a.txt', '');
    await put(alice, '/a.txt', '1');
    expect(await versionsOf(alice, '/a.txt')).toEqual([]);
    expect(files.storedFiles().length).toBe(stored + 1);
  });

  it('remain with a file that is renamed, deleted, restored, or moved into another user’s folder', async () => {
    await files.dav('MKCOL', brian, '/given');
    await files.share({ path: '/given', owner: brian, recipient: alice });
    await put(alice, '/a.txt', '1');
    await put(alice, '/a.txt', '22');
    await files.dav('MOVE', alice, '/a.txt', { headers: { destination: files.addressOf('/b.txt') } });
    expect(await sizesOf(alice, '/b.txt')).toEqual([1]);
    await files.dav('MOVE', alice, '/b.txt', { headers: { destination: files.addressOf('/given/b.txt') } });
    expect(await sizesOf(brian, '/given/b.txt')).toEqual([1]);
    const [room] = await query<{ a: string; b: string }>(
      `SELECT (SELECT version_bytes FROM storage WHERE owner_uid = $1) AS a, (SELECT version_bytes FROM storage WHERE owner_uid = $2) AS b`,
      alice,
      brian,
    );
    expect([Number(room!.a), Number(room!.b)]).toEqual([0, 1]);
  });

  it('are not copied with a file, and go into the trash bin with one that COPY overwrites', async () => {
    await put(alice, '/a.txt', '1');
    await put(alice, '/a.txt', '22');
    await files.dav('COPY', alice, '/a.txt', { headers: { destination: files.addressOf('/b.txt') } });
    expect(await versionsOf(alice, '/b.txt')).toEqual([]);
    await files.dav('COPY', alice, '/b.txt', { headers: { destination: files.addressOf('/a.txt') } });
    expect(await versionsOf(alice, '/a.txt')).toEqual([]);
    expect(
      await query('SELECT FROM file_version v JOIN node n ON n.id = v.node_id WHERE n.owner_uid = $1', alice),
    ).toHaveLength(1);
  });

  it('do not count to the quota, have their own limit, and the oldest are removed first', async () => {
    await query('UPDATE user_account SET quota_bytes = 100 WHERE uid = $1', alice);
    const stored = files.storedFiles().length;
    expect(await put(alice, '/a.txt', 'x'.repeat(20))).toBe(201);
    expect(await put(alice, '/a.txt', 'x'.repeat(25))).toBe(204);
    expect(await put(alice, '/b.txt', 'x'.repeat(21))).toBe(201);
    expect(await put(alice, '/b.txt', 'x'.repeat(70))).toBe(204);
    expect([await sizesOf(alice, '/a.txt'), await sizesOf(alice, '/b.txt')]).toEqual([[20], [21]]);
    expect(await put(alice, '/a.txt', 'x'.repeat(30))).toBe(204);
    expect([await sizesOf(alice, '/a.txt'), await sizesOf(alice, '/b.txt')]).toEqual([[25], [21]]);
    expect(files.storedFiles().length).toBe(stored + 4);
  });

  it('are thinned out with their age when the file is written again', async () => {
    for (let size = 1; size <= 14; size++) await put(alice, '/a.txt', 'x'.repeat(size));
    const id = Number(await files.property(alice, '/a.txt', 'oc:fileid'));
    await query(
      `UPDATE file_version SET stored_at = date_trunc('day', now()) - interval '5 days' + id * interval '1 microsecond' WHERE node_id = $1`,
      id,
    );
    const [stored, before] = [files.storedFiles().length, await versionsOf(alice, '/a.txt')];
    await put(alice, '/a.txt', 'last');
    expect(await sizesOf(alice, '/a.txt')).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 1]);
    expect(files.storedFiles().length - 11).toBe(stored - before.length);
  });

  it('are thinned out and removed with their age if the file is not written, by the setting', async () => {
    for (let size = 1; size <= 3; size++) await put(alice, '/a.txt', 'x'.repeat(size));
    const id = Number(await files.property(alice, '/a.txt', 'oc:fileid'));
    const old = (days: number, size: number): Promise<unknown> =>
      query(
        `UPDATE file_version SET stored_at = now() - $3 * interval '1 day' WHERE node_id = $1 AND size = $2`,
        id,
        size,
        days,
      );
    await old(40, 1);
    await old(20, 2);
    const expiry = new VersionExpiryRepository(files.database);
    const settings = files.get(RuntimeSettings);
    const rule = (value: string): Promise<void> =>
      settings.set('system', 'versions_retention_obligation', value);
    for (const [value, left] of [
      ['disabled', [2, 1]],
      ['auto', [2, 1]],
      ['50,60', [2, 1]],
      ['auto,30', [2]],
      ['10,15', []],
    ] as const) {
      await rule(value);
      await expiry.removeOutdated();
      expect(await sizesOf(alice, '/a.txt')).toEqual(left);
    }
    await settings.unset('system', 'versions_retention_obligation');
  });
});
