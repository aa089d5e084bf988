import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { subtreesOf } from './subtree-sql';

const FILES = 2_000;

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  const query = <T>(text: string): Promise<T[]> => test.database.dataSource.query<T[]>(text);
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '')`);
  const [storage] = await query<{ id: number }>(
    `INSERT INTO storage (owner_uid, key) VALUES ('alice', 'home::alice') RETURNING id`,
  );
  const insert = `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key) SELECT ${storage!.id},`;
  const [top] = await query<{ id: number }>(
    `${insert} NULL, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'e', NULL RETURNING id`,
  );
  await query(
    `${insert} ${top!.id}, 'alice', n::text, '/' || n, 'file', 'text/plain', now(), 'e', gen_random_uuid()::text FROM generate_series(1, ${FILES}) AS n`,
  );
  await query('ANALYZE node');
});
afterAll(() => test.drop());

it('reads each node twice at most, where one folder has nearly all nodes', async () => {
  const count = `WITH RECURSIVE ${subtreesOf('path = $1')} SELECT count(*) FROM sub`;
  const read = await rowsRead(test.database, 'node', count, `''`);
  expect(read).toBeGreaterThan(FILES);
  expect(read).toBeLessThan(3 * FILES);
});
