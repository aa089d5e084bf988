import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { LIST_OWN, LIST_RECEIVED_AFTER } from './share-statements';

const SHARES = 2_000;
/** Shares of one part. */
const LIMIT = 20;

let test: TestDatabase;

/** Alice shared many folders with Bob and with their team, and other accounts shared one each, which the planner takes as usual. */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.dataSource.query(`INSERT INTO user_account (uid, display_name, password_hash)
      SELECT uid, uid, '-' FROM unnest(ARRAY['alice', 'bob']) uid UNION ALL SELECT 'other-' || n, '', '-' FROM generate_series(1, 300) n;
    INSERT INTO user_group (gid) VALUES ('team');
    INSERT INTO group_member (gid, uid) VALUES ('team', 'bob');
    INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account;
    INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
      SELECT id, owner_uid, '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage;
    INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
      SELECT storage_id, id, owner_uid, 'Folder ' || n, '/Folder ' || n, kind, mimetype, mtime, etag
      FROM node, generate_series(1, CASE owner_uid WHEN 'alice' THEN ${SHARES} ELSE 1 END) n;
    INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
      SELECT type, id, owner_uid, owner_uid, recipient, recipient, 31
      FROM node, (VALUES (0, 'bob'), (1, 'team')) AS whom(type, recipient)
      WHERE path <> '' AND owner_uid <> 'bob' AND (type = 0 OR owner_uid = 'alice');
    INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT s.id, 'bob', 0, n.path FROM share s JOIN node n ON n.id = s.node_id
      ON CONFLICT (share_id, uid) DO UPDATE SET state = excluded.state, file_target = excluded.file_target;
    UPDATE group_member SET settled_up_to = (SELECT max(id) FROM share);
    ANALYZE`);
});
afterAll(() => test.drop());

const PARAMETERS = {
  types: `'{0,1,3,6}'`,
  groups: `'{team}'`,
  state: 'NULL',
  afterId: '100',
  limit: `${LIMIT}`,
};

/** Rows of shares and of their recipients that one part of a list reads. */
async function readFor(
  { text, order }: { text: string; order: readonly string[] },
  more: Record<string, string>,
): Promise<number> {
  const values = order.map((name) => ({ ...PARAMETERS, ...more })[name]).join(', ');
  const read = (table: string): Promise<number> => rowsRead(test.database, table, text, values);
  return (await read('share')) + (await read('share_recipient'));
}

describe.each([0, 1])('a part of a list of many shares of type %d', (type) => {
  it.each([
    ['own', LIST_OWN, 'alice'],
    ['received', LIST_RECEIVED_AFTER, 'bob'],
  ])('that are %s reads no others', async (_, statement, uid) => {
    const read = await readFor(statement, { uid: `'${uid}'`, afterType: `${type}` });
    expect(read).toBeGreaterThanOrEqual(2 * LIMIT);
    expect(read).toBeLessThan(8 * LIMIT);
  });
});
