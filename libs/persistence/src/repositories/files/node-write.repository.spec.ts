import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import type { Queryable } from '../../database';
import { int8 } from '../../postgres-types';
import { statement } from '../../statement';
import { NodeRepository } from './node.repository';
import type { NodeRow } from './node-row';
import { NodeWriteRepository, type NodeCopy } from './node-write.repository';

let test: TestDatabase;
beforeAll(async () => {
  // Plans belong to a connection, so there is only one.
  test = await createTestDatabase({ poolSize: 1 });
});
afterAll(() => test.drop());

const query = (sql: string): Promise<unknown> => test.database.dataSource.query(sql);

/** Rows that this connection read from nodes by reading the table from end to end, since Postgres last collected them. */
const ROWS_READ = statement({
  name: 'spec.rows_read',
  row: { count: int8 },
  sql: `SELECT seq_tup_read AS count FROM pg_stat_xact_user_tables WHERE relname = 'node'`,
});
const rowsRead = async (transaction: Queryable): Promise<number> =>
  (await transaction.rows(ROWS_READ))[0]!.count;

/** Copies a folder with `count - 1` folders. @returns the rows of nodes that were read from end to end for it */
function insertCopies(root: NodeRow, name: string, count: number): Promise<number> {
  return test.database.transaction(async (transaction) => {
    const writes = new NodeWriteRepository(transaction);
    const ids = await writes.newIds(count);
    const copies = ids.map((id, index): NodeCopy => {
      const place =
        index === 0
          ? { parentId: root.id, name, path: `/${name}` }
          : { parentId: ids[0]!, name: `${index}`, path: `/${name}/${index}` };
      return { original: root, id, ...place, mimetype: root.mimetype, blobKey: null };
    });
    const before = await rowsRead(transaction);
    await writes.insertCopies(root.storageId, 'bob', copies, 'e', { author: 'bob', throughShare: null });
    return (await rowsRead(transaction)) - before;
  });
}

it('many copies are inserted without reading all nodes for each, also if there were few when plans were made', async () => {
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`);
  const nodes = new NodeRepository(test.database);
  await nodes.makeStorage('bob');
  const root = (await nodes.place('bob', ''))!.node!;
  await query('ANALYZE node');
  // The plan of a check is kept after some uses.
  for (let use = 0; use < 10; use++) await insertCopies(root, `few-${use}`, 1);
  // Fewer copies read from end to end, up to their folder.
  expect(await insertCopies(root, 'some', 900)).toBeGreaterThan(9_000);
  expect(await insertCopies(root, 'many', 1_000)).toBeLessThan(1_000);
});
