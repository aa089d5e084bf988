import type { Grants } from '#sharing';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import { array, bool, int4, int8, json, nullable, type RowOf, text, uuid } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { below, GRANTS, MOUNT_DIGEST, MOUNTS } from './mount-sql';
import { ALIVE } from '../shares/share-row';
import { NODE_ROW, nodeColumns } from './node-row';
import { md5 } from './path-parts';
import { MOUNTED } from '../../received-states';

/** All shares of one node with one user, as one entry of their tree. */
const MOUNT_ROW = {
  ...NODE_ROW,
  /** Place in the recipient's tree. */
  target: text,
  /** All shares behind the mount. */
  grants: json<Grants>(),
  ownerDisplayName: text,
};
export type MountRow = RowOf<typeof MOUNT_ROW>;

/** The mounts that fulfil `condition`, one row per node. */
const mountsWhere = (condition: string): string => `SELECT m.target, ${GRANTS} AS grants,
     a.display_name AS "ownerDisplayName", ${nodeColumns('root')}
   FROM ${MOUNTS}
   JOIN node root ON root.id = m.root_id
   JOIN user_account a ON a.uid = root.owner_uid
   WHERE ${condition}
   GROUP BY m.target, root.id, a.uid
   ORDER BY m.target, root.id`;

// The digest of the folder leads to them. The path has no range as for mounts below it, because Postgres could choose that index and read all of those.
const IN_FOLDER = statement({
  name: 'mount.in_folder',
  params: { uid: text, folderHash: uuid, folderPath: text },
  row: MOUNT_ROW,
  sql: mountsWhere(
    `m.uid = :uid AND m.folder_hash = :folderHash::uuid AND left(m.target, char_length(:folderPath::text) + 1) = :folderPath || '/'`,
  ),
});

const BELOW_FOLDER = statement({
  name: 'mount.below_folder',
  params: { uid: text, folderPath: text },
  row: MOUNT_ROW,
  sql: mountsWhere(`m.uid = :uid AND ${below('m.target', ':folderPath')}`),
});

const DIGESTS_OF = statement({
  name: 'mount.digests_of',
  params: { uid: text, folderPaths: array(text) },
  row: { path: text, digest: text },
  sql: `SELECT folder.path, ${MOUNT_DIGEST} AS digest
   FROM unnest(:folderPaths::text[]) AS folder(path)
   JOIN ${MOUNTS} ON m.uid = :uid AND ${below('m.target', 'folder.path')}
   GROUP BY folder.path`,
});

const DIGESTS_BELOW = statement({
  name: 'mount.digests_below',
  params: { uid: text, folderPath: text, folderHash: uuid },
  row: { name: text, digest: text },
  sql: `SELECT split_part(substr(m.target, char_length(:folderPath::text) + 2), '/', 1) AS name, ${MOUNT_DIGEST} AS digest
   FROM ${MOUNTS}
   WHERE m.uid = :uid AND ${below('m.target', ':folderPath')} AND m.folder_hash <> :folderHash::uuid
   GROUP BY 1`,
});

const ANY_BELOW = statement({
  name: 'mount.any_below',
  isShortRead: true,
  params: { uid: text, folderPath: text },
  row: { found: bool },
  sql: `SELECT EXISTS (SELECT FROM ${MOUNTS} WHERE m.uid = :uid AND ${below('m.target', ':folderPath')}) AS found`,
});

const SHARE_AT = statement({
  name: 'mount.share_at',
  params: { uid: text, target: text },
  row: { shareId: nullable(int8) },
  sql: `SELECT min(m.share_id) AS "shareId" FROM ${MOUNTS}
   WHERE m.uid = :uid AND m.target_hash = md5(:target)::uuid AND m.target = :target`,
});

const RENAME = statement({
  name: 'mount.rename',
  params: { uid: text, from: text, to: text },
  sql: `WITH remote AS (
     UPDATE received_share SET file_target = :to
     WHERE recipient_uid = :uid AND file_target = :from AND state IN ${MOUNTED} AND target_hash = md5(:from)::uuid
   )
   UPDATE share_recipient SET file_target = :to
   WHERE uid = :uid AND file_target = :from AND state = 0 AND target_hash = md5(:from)::uuid`,
});

const RENAME_BELOW = statement({
  name: 'mount.rename_below',
  params: { uid: text, from: text, to: text },
  sql: `WITH remote AS (
     UPDATE received_share SET file_target = :to || substr(file_target, char_length(:from::text) + 1)
     WHERE recipient_uid = :uid AND state IN ${MOUNTED} AND ${below('file_target', ':from')}
   )
   UPDATE share_recipient SET file_target = :to || substr(file_target, char_length(:from::text) + 1)
   WHERE uid = :uid AND ${below('file_target', ':from')}`,
});

const DECLINE_AT_OR_BELOW = statement({
  name: 'mount.decline_at_or_below',
  params: { uid: text, path: text, acting: text },
  sql: `UPDATE share_recipient SET state = 2
   WHERE ${ACTING} AND uid = :uid AND state = 0 AND (file_target = :path OR (${below('file_target', ':path')}))`,
});

const SHARED_OUT = statement({
  name: 'mount.folder_is_shared_out',
  params: { storageId: int4, folderPaths: array(uuid), paths: array(text) },
  row: { found: bool },
  sql: `SELECT EXISTS (
     SELECT FROM node n JOIN share s ON s.node_id = n.id
     WHERE n.storage_id = :storageId AND n.path_hash = ANY(:folderPaths::uuid[]) AND n.path = ANY(:paths::text[])
       AND ${ALIVE}
   ) AS found`,
});

/** Reads and moves received shares in their recipients' trees. */
export class MountRepository {
  constructor(private readonly database: Queryable) {}

  /** The mounts directly in `folderPath` of the user's tree; one row per node. */
  inFolder(uid: string, folderPath: string): Promise<MountRow[]> {
    return this.database.rows(IN_FOLDER, { uid, folderHash: md5(folderPath), folderPath });
  }

  /** For each child of `folderPath` with mounts below it: its name and their digest (see `StoredPlace.mountDigest`). */
  async digestsBelow(uid: string, folderPath: string): Promise<Map<string, string>> {
    const rows = await this.database.rows(DIGESTS_BELOW, { uid, folderPath, folderHash: md5(folderPath) });
    return new Map(rows.map((row) => [row.name, row.digest]));
  }

  /** The mounts below `folderPath` of the user's tree, at any depth; one row per node. */
  belowFolder(uid: string, folderPath: string): Promise<MountRow[]> {
    return this.database.rows(BELOW_FOLDER, { uid, folderPath });
  }

  /** For each of these folders with mounts below it: its path and their digest (see `StoredPlace.mountDigest`). */
  async digestsOf(uid: string, folderPaths: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.rows(DIGESTS_OF, { uid, folderPaths });
    return new Map(rows.map((row) => [row.path, row.digest]));
  }

  async anyBelow(uid: string, folderPath: string): Promise<boolean> {
    const [row] = await this.database.rows(ANY_BELOW, { uid, folderPath });
    return row!.found;
  }

  /** The oldest share of the mount at `target`; null if there is none. */
  async shareAt(uid: string, target: string): Promise<number | null> {
    return (await this.database.rows(SHARE_AT, { uid, target }))[0]!.shareId;
  }

  /** Moves the mount at `from`. */
  async rename(uid: string, from: string, to: string): Promise<void> {
    await this.database.rows(RENAME, { uid, from, to });
  }

  /** Moves the mounts below a folder of the own tree together with that folder. */
  async renameBelow(uid: string, from: string, to: string): Promise<void> {
    await this.database.rows(RENAME_BELOW, { uid, from, to });
  }

  /**
   * Declines for the user all shares from accounts of this instance at `path` and below it; they can be accepted again.
   * Shares of partners are left by `ReceivedShareRepository`, since their servers get a message.
   */
  async declineAtOrBelow(uid: string, path: string): Promise<void> {
    await this.database.rows(DECLINE_AT_OR_BELOW, { uid, path, acting: actingText() });
  }

  /** Whether one of these folders of a storage is shared. */
  async anySharedOut(storageId: number, folderPaths: readonly string[]): Promise<boolean> {
    const [row] = await this.database.rows(SHARED_OUT, {
      storageId,
      folderPaths: folderPaths.map(md5),
      paths: folderPaths,
    });
    return row!.found;
  }
}
