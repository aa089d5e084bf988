import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administrationOn } from '#identity';
import { readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { storageOn } from '../storage-on';
import { parsePath } from '../tree/node-path';
import { userView } from '../tree/tree-view';
import { DirectoryImport } from './directory-import';

let test: TestDatabase;
let storage: Awaited<ReturnType<typeof storageOn>>;
let directory: string;
let leftOut: Record<string, string>;

beforeAll(async () => {
  test = await createTestDatabase();
  const dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-import-'));
  storage = await storageOn(test.database, readConfig({ DATA_DIR: dataDirectory }));
  for (const uid of ['alice', 'brian'])
    await administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }).users.create({
      uid,
      password: 'a-password',
    });
});
afterAll(() => test.drop());
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'drawbridge-imported-'));
  leftOut = {};
  await test.database.dataSource.query('DELETE FROM storage');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const alice = userView('alice');

function run(target = '') {
  const listener = {
    progress: () => undefined,
    leftOut: (location: string, reason: string) =>
      void (leftOut[location.slice(directory.length + 1)] = reason),
  };
  return new DirectoryImport(storage.tree, storage.writer, alice, listener).run(directory, parsePath(target));
}

async function paths(): Promise<string[]> {
  const rows = await test.database.dataSource.query<{ path: string }[]>(
    `SELECT path FROM node WHERE owner_uid = 'alice' AND path <> '' ORDER BY path COLLATE "C"`,
  );
  return rows.map((row) => row.path);
}

const write = (name: string, content = 'x'): void => writeFileSync(join(directory, name), content);

it('imports folders and files with their times, into a folder that it creates', async () => {
  mkdirSync(join(directory, 'sub/empty'), { recursive: true });
  write('sub/ä # %.txt', 'content');
  utimesSync(join(directory, 'sub/ä # %.txt'), 1_600_000_000, 1_600_000_000.5);
  expect(await run('/from disk/2020')).toEqual({
    imported: 1,
    replaced: 0,
    unchanged: 0,
    folders: 4,
    bytes: 7,
    leftOut: 0,
  });
  const path = parsePath('/from disk/2020/sub/ä # %.txt');
  const node = await storage.tree.stat(alice, path);
  expect(node.row).toMatchObject({ size: 7, mtime: new Date(1_600_000_000_500) });
  expect(await paths()).toContain('/from disk/2020/sub/empty');
});

it('composes names that are decomposed on disk, and finds them again', async () => {
  const [folder, file] = ['\u00fcber', 'gr\u00f6\u00dfe.txt'];
  mkdirSync(join(directory, folder.normalize('NFD')));
  write(`${folder.normalize('NFD')}/${file.normalize('NFD')}`);
  for (const [imported, unchanged] of [
    [1, 0],
    [0, 1],
  ])
    expect(await run('/\u00e9'.normalize('NFD'))).toMatchObject({ imported, unchanged });
  expect(await paths()).toEqual(['/\u00e9', `/\u00e9/${folder}`, `/\u00e9/${folder}/${file}`]);
});

it('continues after an earlier run: files with the same size and time are not changed', async () => {
  for (const name of ['same', 'longer', 'newer']) write(name, name);
  expect(await run()).toMatchObject({ imported: 3, unchanged: 0 });
  write('added');
  write('longer', 'longer than before');
  utimesSync(join(directory, 'newer'), 2_000_000_000, 2_000_000_000);
  expect(await run()).toMatchObject({ imported: 1, replaced: 2, unchanged: 1 });
  expect(await run()).toMatchObject({ imported: 0, replaced: 0, unchanged: 4 });
});

it('reports links, pipes and odd names, follows none of them, and imports the rest', async () => {
  write('kept');
  write('.htaccess');
  write('half.part');
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/bad`), Buffer.from([0xff])]), 'x');
  write('tab\tname');
  symlinkSync('/etc', join(directory, 'etc'));
  symlinkSync('/etc/passwd', join(directory, 'passwd'));
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  mkdirSync(join(directory, 'sub'));
  expect(await run()).toMatchObject({ imported: 1, folders: 1, leftOut: 7 });
  expect(await paths()).toEqual(['/kept', '/sub']);
  expect(leftOut).toMatchObject({
    etc: 'it is a link',
    passwd: 'it is a link',
    pipe: 'it is neither file nor folder',
    'bad\ufffd': 'its name is not UTF-8',
  });
  expect(Object.keys(leftOut)).toEqual(expect.arrayContaining(['.htaccess', 'half.part', 'tab\tname']));
});

it('does not replace a file by a folder, and writes nothing into a received share', async () => {
  await run('/shared');
  const [node] = await test.database.dataSource.query<{ id: number; storage_id: number }[]>(
    `WITH st AS (INSERT INTO storage (key, owner_uid) VALUES ('home::brian', 'brian') RETURNING id),
     root AS (INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       SELECT id, 'brian', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM st RETURNING id, storage_id)
     INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
     SELECT storage_id, id, 'brian', 'of brian', '/of brian', 'folder', 'httpd/unix-directory', now(), 'e' FROM root RETURNING id`,
  );
  const [share] = await test.database.dataSource.query<{ id: number }[]>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
     VALUES (0, $1, 'brian', 'brian', 'alice', 'alice', 31, '/of brian') RETURNING id`,
    [node!.id],
  );
  await test.database.dataSource.query(
    `INSERT INTO share_recipient (share_id, uid, state) VALUES ($1, 'alice', 0)`,
    [share!.id],
  );
  write('taken');
  await run();
  rmSync(join(directory, 'taken'));
  mkdirSync(join(directory, 'taken'));
  mkdirSync(join(directory, 'of brian'));
  write('of brian/mine');
  expect(await run()).toMatchObject({ imported: 0, leftOut: 2 });
  expect(leftOut).toEqual({ taken: 'a file stands there', 'of brian': 'a received share stands there' });
  await expect(run('/of brian/deeper')).rejects.toMatchObject({ code: 'exists' });
  await expect(run('/taken')).rejects.toMatchObject({ code: 'exists' });
});

it('ends if the user has no space, and continues later', async () => {
  write('small', 'x'.repeat(10));
  write('zlarge', 'x'.repeat(100));
  await test.database.dataSource.query(`UPDATE user_account SET quota_bytes = 50 WHERE uid = 'alice'`);
  await expect(run()).rejects.toMatchObject({ code: 'quota-exceeded' });
  await test.database.dataSource.query(`UPDATE user_account SET quota_bytes = NULL WHERE uid = 'alice'`);
  const { imported, unchanged } = await run();
  expect(imported + unchanged).toBe(2);
});

it('ends at the limit of files and folders, and continues when there is space', async () => {
  for (const name of ['1', '2', '3']) write(name);
  await test.database.dataSource.query(
    `INSERT INTO setting (app, key, value) VALUES ('files', 'max_nodes_per_user', '2')`,
  );
  await expect(run()).rejects.toMatchObject({ code: 'too-many-nodes' });
  expect(await paths()).toHaveLength(2);
  await test.database.dataSource.query(`DELETE FROM setting WHERE key = 'max_nodes_per_user'`);
  expect(await run()).toMatchObject({ imported: 1, unchanged: 2 });
  const [row] = await test.database.dataSource.query<{ nodes: string }[]>(
    `SELECT node_count::integer AS nodes FROM storage WHERE owner_uid = 'alice'`,
  );
  expect(row!.nodes).toBe(3);
});
