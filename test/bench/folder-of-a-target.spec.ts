import pg from 'pg';
import { SESSION_OPTIONS } from '#persistence';
import { createTestDatabase } from '#testing';
import { FIND } from '../../libs/persistence/src/repositories/shares/share-statements';
import { explain } from './small-organisation';

const ACCOUNTS = 2000;
const FILES = 200;

/** Many accounts with an empty tree, of which one also has many files. One of them is shared. */
const UNEVEN = [
  `INSERT INTO user_account (uid, display_name, password_hash)
   SELECT 'account' || one, 'Account', 'none' FROM generate_series(1, ${ACCOUNTS}) one`,
  "INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account WHERE uid LIKE 'account%'",
  `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   SELECT id, owner_uid, '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE owner_uid LIKE 'account%'`,
  `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key)
   SELECT storage_id, id, owner_uid, 'f' || one, '/f' || one, 'file', 'text/plain', now(), 'e', 'b' || one
   FROM node CROSS JOIN generate_series(1, ${FILES}) one WHERE owner_uid = 'account1' AND parent_id IS NULL`,
  `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
   SELECT 0, id, owner_uid, owner_uid, 'account2', 'account2', 1, '/f1' FROM node WHERE name = 'f1'`,
  'ANALYZE',
];

it('a share is found without the other files of its owner, where most accounts have none', async () => {
  const test = await createTestDatabase({ poolSize: 2 });
  const client = new pg.Client({ connectionString: test.url, options: SESSION_OPTIONS });
  try {
    await client.connect();
    // The rows are complete without what triggers add.
    await client.query('SET session_replication_role = replica');
    for (const sql of UNEVEN) await client.query(sql);
    const { rows } = await client.query<{ id: number }>('SELECT id FROM share');
    const values = [rows[0]!.id, 'account1'];
    for (const mode of ['custom', 'generic'] as const) {
      const found = await explain(client, { ...FIND, values }, mode);
      expect(found.rows).toBe(1);
      expect(found.read).toBeLessThan(20);
    }
  } finally {
    await client.end();
    await test.drop();
  }
});
