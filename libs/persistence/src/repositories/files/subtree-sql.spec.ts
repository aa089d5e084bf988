import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import type { Queryable } from '../../database';
import { int8 } from '../../postgres-types';
import { statement } from '../../statement';
import { NodePropertyRepository } from './node-property.repository';
import { NodeRepository } from './node.repository';
import { subtreesOf } from './subtree-sql';

const FILES = 2_000;

/** Rows of nodes that this transaction read. */
const ROWS_READ = statement({
  name: 'spec.nodes_read',
  row: { count: int8 },
  sql: `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS count FROM pg_stat_xact_user_tables WHERE relname = 'node'`,
});

let test: TestDatabase;
/** A folder with one folder and one file in it. */
let small: number;
let top: number;

beforeAll(async () => {
  test = await createTestDatabase();
  const query = <T>(text: string): Promise<T[]> => test.database.dataSource.query<T[]>(text);
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '')`);
  const [storage] = await query<{ id: number }>(
    `INSERT INTO storage (owner_uid, key) VALUES ('alice', 'home::alice') RETURNING id`,
  );
  const insert = `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key) SELECT ${storage!.id},`;
  const folder = `'folder', 'httpd/unix-directory', now(), 'e', NULL RETURNING id`;
  top = (await query<{ id: number }>(`${insert} NULL, 'alice', '', '', ${folder}`))[0]!.id;
  await query(
    `${insert} ${top}, 'alice', n::text, '/' || n, 'file', 'text/plain', now(), 'e', gen_random_uuid()::text FROM generate_series(1, ${FILES}) AS n`,
  );
  small = (await query<{ id: number }>(`${insert} ${top}, 'alice', 'small', '/small', ${folder}`))[0]!.id;
  const [inner] = await query<{ id: number }>(`${insert} ${small}, 'alice', 'in', '/small/in', ${folder}`);
  await query(
    `${insert} ${inner!.id}, 'alice', 'a', '/small/in/a', 'file', 'text/plain', now(), 'e', gen_random_uuid()::text`,
  );
  await new NodePropertyRepository(test.database).markFavorite(inner!.id, 'alice', true);
  await query('ANALYZE node');
});
afterAll(() => test.drop());

it('reads each node twice at most, where one folder has nearly all nodes', async () => {
  const count = `WITH RECURSIVE ${subtreesOf('path = $1')} SELECT count(*) FROM sub`;
  const read = await rowsRead(test.database, 'node', count, `''`);
  expect(read).toBeGreaterThan(FILES);
  expect(read).toBeLessThan(3 * FILES);
});

it.each<[string, (nodes: NodeRepository) => Promise<unknown>, unknown]>([
  ['shown', async (nodes) => (await nodes.subtree(small, 10)).length, 3],
  ['counted', (nodes) => nodes.countSubtree(small), 3],
  [
    'the place of a favourite',
    async (nodes) =>
      (await nodes.below([top], [], { by: 'favorite', uid: 'alice' }, 10)).map(({ path }) => path),
    ['/small/in'],
  ],
  ['searched', async (nodes) => (await nodes.below([small], [], { by: 'name', part: 'a' }, 10)).length, 1],
])(
  'reads only what is in a folder that is %s beside one that has nearly all nodes',
  async (_, read, result) => {
    const rows = await test.database.transaction(async (transaction) => {
      const readSoFar = async (of: Queryable): Promise<number> => (await of.rows(ROWS_READ))[0]!.count;
      const before = await readSoFar(transaction);
      expect(await read(new NodeRepository(transaction))).toEqual(result);
      return (await readSoFar(transaction)) - before;
    });
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(20);
  },
);
