import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { administrationOn } from '#identity';
import { BlobRepository } from '#persistence';
import { createLogger } from '#platform';
import { settingsOn } from '#settings';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { BlobSweep } from '../blobs/blob-sweep';
import { DiskBlobStore } from '../blobs/disk-blob-store';
import { parsePath } from '../tree/node-path';
import { RemoteTree } from '../mounted/remote-tree';
import { PartnerWrites } from '../mounted/partner-writes';
import { RemoteWriter } from '../mounted/remote-writer';
import { ReceivedShares } from '../tree/received-shares';
import { userView } from '../tree/tree-view';
import { DeletionRules } from '../trash/deletion-rules';
import { ContentScan } from '../scanning/content-scan';
import { Quarantine } from '../scanning/quarantine';
import { ScanReports } from '../scanning/scan-reports';
import { NameRules } from '../tree/name-rules';
import { TreeWriter } from '../tree/tree-writer';
import { StorageCheck } from './storage-check';
import type { StorageProblem } from './storage-problem';
import { UploadCheck } from './upload-check';

const TWO_DAYS_MS = 48 * 3_600_000;

let test: TestDatabase;
let directory: string;
let blobs: DiskBlobStore;
let check: StorageCheck;

beforeAll(async () => {
  test = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), 'drawbridge-check-'));
  blobs = await DiskBlobStore.open(directory);
  const later = (): number => Date.now() + TWO_DAYS_MS;
  check = new StorageCheck(
    test.database,
    new BlobSweep(blobs, new BlobRepository(test.database), later),
    new UploadCheck(test.database, blobs),
  );
  await administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }).users.create({
    uid: 'alice',
    password: 'a-password',
  });
  const { policy } = settingsOn(test.database, { COMPATIBILITY: 'owncloud10' });
  const reports = new ScanReports(test.database, createLogger('silent'));
  const remote = new RemoteTree(test.database);
  const scans = new ContentScan(blobs, policy, undefined, reports, new Quarantine(test.database, blobs));
  const remoteWriter = new RemoteWriter(test.database, blobs, remote);
  const writer = new TreeWriter(
    test.database,
    blobs,
    new ReceivedShares(test.database, policy),
    remoteWriter,
    new PartnerWrites(test.database, blobs, remote, remoteWriter, policy, scans),
    new NameRules(policy),
    new DeletionRules(policy),
    scans,
  );
  for (const folder of ['/a', '/a/b']) await writer.makeFolder(userView('alice'), parsePath(folder));
  for (const path of ['/a/b/one', '/a/two', '/three'])
    await writer.put(userView('alice'), parsePath(path), Readable.from(['content']));
});
afterAll(async () => {
  await test.drop();
  rmSync(directory, { recursive: true, force: true });
});

const query = <T>(sql: string): Promise<T[]> => test.database.dataSource.query(sql);

async function problems(repair: boolean): Promise<[string, string, boolean][]> {
  const found: StorageProblem[] = [];
  for await (const problem of check.problems(repair)) found.push(problem);
  return found.map(({ kind, subject, repaired }) => [kind, subject, repaired]);
}

it('finds nothing in a healthy storage', async () => {
  expect(await problems(false)).toEqual([]);
});

it('repairs wrong sizes, and changes the etags for clients', async () => {
  await query(`UPDATE node SET size = 1 WHERE path = '/a/b'`);
  await query(`UPDATE node SET size = 1000 WHERE path = ''`);
  const [before] = await query<{ etag: string }>(`SELECT etag FROM node WHERE path = '/a'`);
  const wrong = [
    ['wrong-size', 'alice', false],
    ['wrong-size', 'alice/a', false],
    ['wrong-size', 'alice/a/b', false],
  ];
  expect(await problems(false)).toEqual(wrong);
  expect(await problems(true)).toEqual(wrong.map(([kind, subject]) => [kind, subject, true]));
  expect(await problems(false)).toEqual([]);
  const sizes = await query<{ size: number }>(`SELECT size FROM node WHERE kind = 'folder' ORDER BY path`);
  expect(sizes.map((row) => row.size)).toEqual([21, 14, 7]);
  const [after] = await query<{ etag: string }>(`SELECT etag FROM node WHERE path = '/a'`);
  expect(after!.etag).not.toBe(before!.etag);
});

it('repairs an empty folder that kept the size of the folder it was copied from', async () => {
  await query(`UPDATE node SET size = size + 14 WHERE path = ''`);
  await query(`INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
    SELECT storage_id, id, owner_uid, 'hollow', '/hollow', 'folder', 'httpd/unix-directory', 14, now(), 'e' FROM node WHERE path = ''`);
  expect(await problems(true)).toEqual([['wrong-size', 'alice/hollow', true]]);
  expect(await problems(false)).toEqual([]);
  const [hollow] = await query<{ size: number }>(`SELECT size FROM node WHERE path = '/hollow'`);
  expect(hollow!.size).toBe(0);
  await query(`DELETE FROM node WHERE path = '/hollow'`);
});

it('counts files and folders again if the stored number is wrong', async () => {
  await query(`UPDATE storage SET node_count = node_count + 3`);
  expect(await problems(false)).toEqual([['wrong-count', 'alice', false]]);
  expect(await problems(true)).toEqual([['wrong-count', 'alice', true]]);
  expect(await problems(false)).toEqual([]);
});

it('removes contents without a file', async () => {
  const { blobKey } = await blobs.write(Readable.from(['orphan']));
  expect(await problems(false)).toEqual([['orphaned-content', blobKey, false]]);
  expect(await problems(true)).toEqual([['orphaned-content', blobKey, true]]);
  expect(await blobs.has(blobKey)).toBe(false);
});

it('names nodes in the trash bin without an entry, and hidden shares without one', async () => {
  await query(`INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
    SELECT 0, id, owner_uid, owner_uid, 'bob', 'bob', 1 FROM node WHERE path = '/three'`);
  await query(`UPDATE share SET trashed_at = now()`);
  expect(await problems(false)).toEqual([['wrongly-hidden', 'alice/three', false]]);
  await query(`DELETE FROM share`);
  await query(`UPDATE node SET path = '~' || id, parent_id = NULL WHERE path = '/three'`);
  await query(`UPDATE node SET size = 14 WHERE path = ''`);
  const [{ id } = { id: 0 }] = await query<{ id: number }>(
    `SELECT id FROM node WHERE starts_with(path, '~')`,
  );
  expect(await problems(false)).toEqual([['lost-trash', `alice~${id}`, false]]);
  expect(await problems(true)).toEqual([['lost-trash', `alice~${id}`, true]]);
  expect(await query(`SELECT name, folder_path, actor_kind FROM trashed_node`)).toEqual([
    { name: 'three', folder_path: '', actor_kind: 'system' },
  ]);
  expect(await problems(false)).toEqual([]);
  await query(
    `UPDATE node SET path = '/three', parent_id = (SELECT id FROM node WHERE path = '') WHERE id = ${id}`,
  );
  await query(`UPDATE node SET size = 21 WHERE path = ''`);
  expect(await problems(true)).toEqual([['lost-trash', 'alice/three', true]]);
  expect(await problems(false)).toEqual([]);
});

it('removes uploads with a missing part, and adds up the bytes of the others', async () => {
  const stored = async (text: string): Promise<string> => (await blobs.write(Readable.from([text]))).blobKey;
  const [lost, left, whole] = [await stored('lost'), await stored('left'), await stored('whole')];
  for (const name of ['broken', 'complete'])
    await query(`INSERT INTO upload (kind, name, uid, storage_id, received_bytes)
      SELECT 'chunks', '${name}', 'alice', id, 8 FROM storage WHERE owner_uid = 'alice'`);
  const pieces = [
    `('broken', '1', 4, '${lost}')`,
    `('broken', '2', 4, '${left}')`,
    `('complete', '1', 5, '${whole}')`,
  ];
  await query(`INSERT INTO upload_part (upload_id, name, size, blob_key)
    SELECT u.id, p.part, p.size, p.key FROM (VALUES ${pieces.join()}) AS p (upload, part, size, key) JOIN upload u ON u.name = p.upload`);
  await blobs.delete(lost);
  const wrong = [
    ['missing-piece', 'alice upload broken', false],
    ['wrong-upload-bytes', 'alice upload complete', false],
  ];
  expect(await problems(false)).toEqual(wrong);
  expect(await problems(true)).toEqual(wrong.map(([kind, subject]) => [kind, subject, true]));
  expect(await problems(false)).toEqual([]);
  expect([await blobs.has(left), await blobs.has(whole)]).toEqual([false, true]);
  expect(await query('SELECT name, received_bytes FROM upload')).toEqual([
    { name: 'complete', received_bytes: 5 },
  ]);
  await query('DELETE FROM upload');
  await blobs.delete(whole);
});

it('names problems that it cannot repair: lost contents, and nodes in the wrong place', async () => {
  const [row] = await query<{ blob_key: string }>(`SELECT blob_key FROM node WHERE path = '/three'`);
  await blobs.delete(row!.blob_key);
  await query(`UPDATE node SET path = '/elsewhere/two' WHERE path = '/a/two'`);
  expect(await problems(true)).toEqual([
    ['missing-content', 'alice/three', false],
    ['misplaced', 'alice/elsewhere/two', false],
  ]);
});
