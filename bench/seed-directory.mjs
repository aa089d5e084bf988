// The data of cases-directory.mjs, added to that of seed.mjs: 100,000 accounts in all, a small and a large group,
// shares with them, and a chain of reshares.
import { createHash } from 'node:crypto';
import { NOW, seed, USERS, writeActors } from './seed.mjs';

export const ALL_USERS = 100_000;
export const SMALL = { gid: 'ten', members: 10, owner: 'owner-10', member: 'member-10' };
export const LARGE = { gid: 'ten-thousand', members: 10_000, owner: 'owner-10000', member: 'member-10000' };
/** From the owner of the files to the recipient of the fifth share; the last but one creates it. */
export const CHAIN = ['chain-0', 'chain-1', 'chain-2', 'chain-3', 'chain-4', 'chain-5'];
export const RESHARER = CHAIN.at(-2);
export const CHAIN_FILES = 200;
const GROUP_SHARES = 100;

export const DIRECTORY_ACTORS = {
  searcher: { uid: 'searcher' },
  // A file can be shared with a group only once: this number is more than any server here shares in one measurement.
  grouper: { uid: 'grouper', files: 40_000 },
  linker: { uid: 'linker', files: 200 },
  ...Object.fromEntries(
    [SMALL, LARGE].flatMap(({ owner, member }) => [
      [owner, { uid: owner, files: GROUP_SHARES }],
      [member, { uid: member }],
    ]),
  ),
  ...Object.fromEntries(CHAIN.map((uid, index) => [uid, { uid, files: index === 0 ? CHAIN_FILES : 0 }])),
};

// Hexadecimal ids: three characters match about two hundred of them, as a search in a large organisation does.
const CROWD_UID = `substr(md5(n::text), 1, 8) || '-' || n`;
const PEOPLE = `
INSERT INTO user_account (uid, display_name, email, password_hash)
SELECT uid, 'Bench ' || uid, uid || '@example.org', 'nobody signs in'
FROM (SELECT ${CROWD_UID} AS uid FROM generate_series(1, $1::int) n) AS accounts`;

const GROUP = 'INSERT INTO user_group (gid) VALUES ($1)';
const MEMBERS = `
INSERT INTO group_member (gid, uid)
SELECT $1::text, $2::text UNION ALL SELECT $1, ${CROWD_UID} FROM generate_series(1, $3::int - 1) n`;

const GROUP_SHARES_OF = `
WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, created_at)
  SELECT 1, id, owner_uid, owner_uid, $2, $2, 19, path, ${NOW} FROM node WHERE owner_uid = $1 AND kind = 'file'
  RETURNING id, file_target
)
INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, $3::text, 0, file_target FROM shared`;

const HOP = `
WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, created_at)
  SELECT 0, id, owner_uid, $2, $3, $3, 19, path, ${NOW} FROM node WHERE owner_uid = $1 AND kind = 'file'
  RETURNING id, recipient, file_target
)
INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared`;

/** The ids of the first accounts of the crowd, as CROWD_UID creates them. */
export const crowdUids = (count) =>
  Array.from({ length: count }, (_, index) => {
    const n = String(index + 1);
    return `${createHash('md5').update(n).digest('hex').slice(0, 8)}-${n}`;
  });

async function writeGroup(client, { gid, members, owner, member }) {
  await client.query(GROUP, [gid]);
  await client.query(MEMBERS, [gid, member, members]);
  await client.query(GROUP_SHARES_OF, [owner, gid, member]);
}

/** Writes both sets of data into a migrated database through one connection. */
export async function seedDirectory(client) {
  await seed(client);
  await client.query('BEGIN');
  // No cache knows the new accounts, so a hundred thousand announcements of them would only take time.
  await client.query('SET LOCAL session_replication_role = replica');
  await writeActors(client, DIRECTORY_ACTORS);
  await client.query(PEOPLE, [ALL_USERS - USERS - Object.keys(DIRECTORY_ACTORS).length]);
  for (const group of [SMALL, LARGE]) await writeGroup(client, group);
  for (const [index, recipient] of CHAIN.slice(1).entries()) {
    await client.query(HOP, [CHAIN[0], CHAIN[index], recipient]);
  }
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}

/** Deletes the shares that an actor created after the data was written, so that the tables keep their size. */
export async function forgetSharesOf(client, uid) {
  await client.query('DELETE FROM share WHERE initiator_uid = $1 AND recipient IS DISTINCT FROM $2', [
    uid,
    CHAIN.at(-1),
  ]);
  await client.query('VACUUM ANALYZE share, share_recipient');
}
