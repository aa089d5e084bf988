// The data of the measurements: 5,000 users and 100,000 user shares, written by a few set-based statements.
import { hash } from '@node-rs/argon2';

export const USERS = 5_000;
export const SHARES = 100_000;
export const PASSWORD = 'bench-password';

/** Accounts whose lists have an exact length. All others own and receive about twenty shares. */
export const ACTORS = {
  lister: { uid: 'lister', ownShares: 100 },
  hoarder: { uid: 'hoarder', ownShares: 2_000 },
  receiver: { uid: 'receiver', receivedShares: 100 },
  creator: { uid: 'creator', files: 200 },
};

/** The display name of every account. */
export const displayNameOf = (uid) => `Bench ${uid}`;

/** Accounts `user1`, `user2` and so on. */
export const CROWD = USERS - Object.keys(ACTORS).length;

// Times are whole seconds: replies then need no rounding, which is not measured here.
export const NOW = `date_trunc('second', now())`;

const ACCOUNTS = `
INSERT INTO user_account (uid, display_name, email, password_hash)
SELECT uid, 'Bench ' || uid, uid || '@example.org', $1
FROM (SELECT unnest($2::text[]) UNION ALL SELECT 'user' || n FROM generate_series(1, $3::int) n) AS accounts(uid)`;

const STORAGES = `INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account
ON CONFLICT DO NOTHING`;

const ROOTS = `
INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
SELECT id, NULL, owner_uid, '', '', 'folder', 'httpd/unix-directory', now(), md5(owner_uid) FROM storage
ON CONFLICT DO NOTHING`;

// One file for each later share; its name is unique, so names never collide in the recipient's folder.
const FILES = `
INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key)
SELECT r.storage_id, r.id, r.owner_uid, f.name, '/' || f.name, 'file', 'text/plain', 12, now(), md5(f.name), 'bench/' || f.name
FROM (
  SELECT $1::text AS uid, $2 || '-' || n || '.txt' AS name FROM generate_series(1, $3::int) n
) f JOIN node r ON r.owner_uid = f.uid AND r.parent_id IS NULL`;

const CROWD_FILES = `
INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key)
SELECT r.storage_id, r.id, r.owner_uid, f.name, '/' || f.name, 'file', 'text/plain', 12, now(), md5(f.name), 'bench/' || f.name
FROM (
  SELECT 'user' || (1 + n % $1::int) AS uid, 'report-' || n || '.txt' AS name FROM generate_series(1, $2::int) n
) f JOIN node r ON r.owner_uid = f.uid AND r.parent_id IS NULL`;

// The n-th file of an owner goes to the n-th user of the crowd after the owner, and to `receiver` if the owner is the
// first of the crowd.
const OWN_SHARES = `
WITH numbered AS (
  SELECT id, owner_uid, name, path, row_number() OVER (ORDER BY id) AS n FROM node WHERE owner_uid = $1 AND kind = 'file'
), shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, created_at)
  SELECT 0, id, owner_uid, owner_uid, 'user' || (1 + n % $2::int), 'user' || (1 + n % $2::int), 19, path, ${NOW} FROM numbered
  RETURNING id, recipient, file_target
)
INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared`;

const CROWD_SHARES = `
WITH numbered AS (
  SELECT id, owner_uid, path, row_number() OVER (ORDER BY id) AS n
  FROM node WHERE kind = 'file' AND name LIKE 'report-%'
), addressed AS (
  SELECT *, CASE WHEN n <= $2::int THEN $3 ELSE 'user' || (1 + (n * 7919 + 1) % $1::int) END AS recipient FROM numbered
), shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, created_at)
  SELECT 0, id, owner_uid, owner_uid, recipient, recipient, 19, path, ${NOW} FROM addressed
  RETURNING id, recipient, file_target
)
INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared`;

/** Accounts that sign in, with their trees and files, and a crowd of `crowd` more accounts. */
export async function writeActors(client, actors, crowd = 0) {
  const passwordHash = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await client.query(ACCOUNTS, [passwordHash, Object.values(actors).map(({ uid }) => uid), crowd]);
  await client.query(STORAGES);
  await client.query(ROOTS);
  for (const { uid, ownShares, files } of Object.values(actors)) {
    await client.query(FILES, [uid, uid, ownShares ?? files ?? 0]);
  }
}

/** Writes the data into a migrated database through one connection, in one transaction. */
export async function seed(client) {
  const crowdShares = SHARES - ACTORS.lister.ownShares - ACTORS.hoarder.ownShares;
  await client.query('BEGIN');
  await writeActors(client, ACTORS, CROWD);
  await client.query(CROWD_FILES, [CROWD, crowdShares]);
  await client.query(OWN_SHARES, [ACTORS.lister.uid, CROWD]);
  await client.query(OWN_SHARES, [ACTORS.hoarder.uid, CROWD]);
  await client.query(CROWD_SHARES, [CROWD, ACTORS.receiver.receivedShares, ACTORS.receiver.uid]);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}

const DELETABLE = `
WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, created_at)
  SELECT 0, node.id, $1, $1, recipient, recipient, 19, node.path, ${NOW}
  FROM node CROSS JOIN LATERAL (SELECT 'user' || n FROM generate_series(1, $2::int) n) AS crowd(recipient)
  WHERE node.owner_uid = $1 AND node.kind = 'file' LIMIT $3
  RETURNING id, recipient, file_target
), placed AS (
  INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared
)
SELECT id FROM shared`;

/** Deletes the rows of the creator's earlier measurements, so that the tables keep their size. */
export async function forgetCreated(client) {
  await client.query('DELETE FROM share WHERE owner_uid = $1', [ACTORS.creator.uid]);
  await client.query('VACUUM ANALYZE share, share_recipient');
}

/** Creates `count` shares of the creator and returns their ids. */
export async function sharesToDelete(client, count) {
  await forgetCreated(client);
  const { rows } = await client.query(DELETABLE, [ACTORS.creator.uid, CROWD, count]);
  return rows.map(({ id }) => Number(id));
}

/** Endless pairs of the creator's files and recipients, each pair only once. */
export function* sharesToCreate() {
  for (let recipient = 1; recipient <= CROWD; recipient++) {
    for (let file = 1; file <= ACTORS.creator.files; file++) {
      yield { path: `/creator-${file}.txt`, shareWith: `user${recipient}` };
    }
  }
}
