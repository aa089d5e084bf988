import type { QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { declaredStatements } from '../../statement';
import './node.repository';
import './trash.repository';

const ENTRIES = 20_000;

let test: TestDatabase;
let session: QueryRunner;
beforeAll(async () => {
  test = await createTestDatabase();
  session = test.database.dataSource.createQueryRunner();
});
afterAll(async () => {
  await session.release();
  await test.drop();
});

/** A folder that got its entries after the planner last looked, all in one transaction, so that it does not look again. */
beforeEach(async () => {
  await session.query(`BEGIN; INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '-');
    INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice');
    INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage`);
  await addFolders(`name = ''`, 'folder-', 200);
  await addFolders(`name LIKE 'folder-%'`, 'in-', 10);
  await session.query('ANALYZE node');
  await addFolders(`name = 'folder-7'`, 'entry-', ENTRIES);
});
afterEach(() => session.query('ROLLBACK'));

/** Adds folders to each of these. */
const addFolders = (parents: string, name: string, count: number): Promise<unknown> =>
  session.query(`INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT storage_id, id, 'alice', '${name}' || n, path || '/${name}' || n, 'folder', 'httpd/unix-directory', now(), 'e'
    FROM node, generate_series(1, ${count}) n WHERE ${parents}`);

it.each([
  ['a folder', 'node.children_among', []],
  ['a folder of the trash bin', 'trash.entries_among', [1]],
])('entries of %s are read in parts without looking at all for each part', async (_, name, top) => {
  const [folder] = await session.query(`SELECT id FROM node WHERE name = 'folder-7'`);
  const entries = await session.query(`SELECT id FROM node WHERE name LIKE 'entry-%' LIMIT 500`);
  const ids = entries.map(({ id }: { id: string }) => id);

  const { text } = declaredStatements().find((declared) => declared.name === name)!;
  const plan = JSON.stringify(await session.query(`EXPLAIN ${text}`, [...top, folder.id, ids]));
  expect(plan).toContain('using node_pkey on node');
  expect(plan).not.toContain('node_by_parent');
});
