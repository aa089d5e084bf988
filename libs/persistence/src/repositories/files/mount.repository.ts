import type { Grants } from '#sharing';
import type { Queryable } from '../../database';
import { int8, nullable, text } from '../../postgres-types';
import { decision, statement } from '../../statement';
import { below, GRANTS, MOUNT_DIGEST, MOUNTS } from './mount-sql';
import { ALIVE } from '../shares/share-row';
import { nodeColumns, type NodeRow } from './node-row';
import { md5 } from './node.repository';

/** All shares of one node to one user, as one entry of their tree. */
export interface MountRow extends NodeRow {
  /** Where the recipient sees it. */
  readonly target: string;
  /** All shares behind the mount. */
  readonly grants: Grants;
  readonly ownerDisplayName: string;
}

/** The mounts that meet `condition`, one row per node. */
const mountsWhere = (condition: string): string => `SELECT m.target, ${GRANTS} AS grants,
     a.display_name AS "ownerDisplayName", ${nodeColumns('root')}
   FROM ${MOUNTS}
   JOIN node root ON root.id = m.root_id
   JOIN user_account a ON a.uid = root.owner_uid
   WHERE ${condition}
   GROUP BY m.target, root.id, a.uid
   ORDER BY m.target, root.id`;

const IN_FOLDER = statement<MountRow>(
  'mount.in_folder',
  mountsWhere(`m.uid = $1 AND m.folder_hash = $2::uuid AND ${below('m.target', '$3')}`),
);

const BELOW_FOLDER = statement<MountRow>(
  'mount.below_folder',
  mountsWhere(`m.uid = $1 AND ${below('m.target', '$2')}`),
);

const DIGESTS_OF = statement<{ path: string; digest: string }>(
  'mount.digests_of',
  `SELECT folder.path, ${MOUNT_DIGEST} AS digest
   FROM unnest($2::text[]) AS folder(path)
   JOIN ${MOUNTS} ON m.uid = $1 AND ${below('m.target', 'folder.path')}
   GROUP BY folder.path`,
);

const DIGESTS_BELOW = statement<{ name: string; digest: string }>(
  'mount.digests_below',
  `SELECT split_part(substr(m.target, char_length($2::text) + 2), '/', 1) AS name, ${MOUNT_DIGEST} AS digest
   FROM ${MOUNTS}
   WHERE m.uid = $1 AND ${below('m.target', '$2')} AND m.folder_hash <> $3::uuid
   GROUP BY 1`,
);

const ANY_BELOW = statement<{ found: boolean }>(
  'mount.any_below',
  `SELECT EXISTS (SELECT FROM ${MOUNTS} WHERE m.uid = $1 AND ${below('m.target', '$2')}) AS found`,
);

const SHARE_AT = statement({
  name: 'mount.share_at',
  params: { uid: text, target: text },
  row: { shareId: nullable(int8) },
  sql: `SELECT min(m.share_id) AS "shareId" FROM ${MOUNTS}
   WHERE m.uid = :uid AND m.target_hash = md5(:target)::uuid AND m.target = :target`,
});

const RENAME = statement(
  'mount.rename',
  `WITH remote AS (
     UPDATE received_share SET file_target = $3
     WHERE recipient_uid = $1 AND file_target = $2 AND state IN ('accepted', 'quarantined') AND target_hash = md5($2)::uuid
   )
   UPDATE share_recipient SET file_target = $3
   WHERE uid = $1 AND file_target = $2 AND state = 0 AND target_hash = md5($2)::uuid`,
);

const RENAME_BELOW = statement(
  'mount.rename_below',
  `WITH remote AS (
     UPDATE received_share SET file_target = $3 || substr(file_target, char_length($2::text) + 1)
     WHERE recipient_uid = $1 AND state IN ('accepted', 'quarantined') AND ${below('file_target', '$2')}
   )
   UPDATE share_recipient SET file_target = $3 || substr(file_target, char_length($2::text) + 1)
   WHERE uid = $1 AND ${below('file_target', '$2')}`,
);

const DECLINE_AT_OR_BELOW = decision(
  'mount.decline_at_or_below',
  (acting) => `UPDATE share_recipient SET state = 2
   WHERE ${acting} AND uid = $1 AND state = 0 AND (file_target = $2 OR (${below('file_target', '$2')}))`,
);

const SHARED_OUT = statement<{ found: boolean }>(
  'mount.folder_is_shared_out',
  `SELECT EXISTS (
     SELECT FROM node n JOIN share s ON s.node_id = n.id
     WHERE n.storage_id = $1 AND n.path_hash = ANY($2::uuid[]) AND n.path = ANY($3::text[])
       AND ${ALIVE}
   ) AS found`,
);

/** Reads and moves received shares in their recipients' trees. */
export class MountRepository {
  constructor(private readonly database: Queryable) {}

  /** The mounts directly in `folderPath` of the user's tree; one row per node. */
  inFolder(uid: string, folderPath: string): Promise<MountRow[]> {
    return this.database.rows(IN_FOLDER, [uid, md5(folderPath), folderPath]);
  }

  /** For each child of `folderPath` below which there are mounts: its name and their digest (see `Place.mountDigest`). */
  async digestsBelow(uid: string, folderPath: string): Promise<Map<string, string>> {
    const rows = await this.database.rows(DIGESTS_BELOW, [uid, folderPath, md5(folderPath)]);
    return new Map(rows.map((row) => [row.name, row.digest]));
  }

  /** The mounts below `folderPath` of the user's tree, at any depth; one row per node. */
  belowFolder(uid: string, folderPath: string): Promise<MountRow[]> {
    return this.database.rows(BELOW_FOLDER, [uid, folderPath]);
  }

  /** For each of these folders below which there are mounts: its path and their digest (see `Place.mountDigest`). */
  async digestsOf(uid: string, folderPaths: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.rows(DIGESTS_OF, [uid, folderPaths]);
    return new Map(rows.map((row) => [row.path, row.digest]));
  }

  async anyBelow(uid: string, folderPath: string): Promise<boolean> {
    const [row] = await this.database.rows(ANY_BELOW, [uid, folderPath]);
    return row!.found;
  }

  /** The oldest of the shares that the mount at `target` shows; null where there is none. */
  async shareAt(uid: string, target: string): Promise<number | null> {
    return (await this.database.rows(SHARE_AT, { uid, target }))[0]!.shareId;
  }

  /** Moves the mount that stands at `from`. */
  async rename(uid: string, from: string, to: string): Promise<void> {
    await this.database.rows(RENAME, [uid, from, to]);
  }

  /** Takes the mounts below a folder of the own tree along when that folder moves. */
  async renameBelow(uid: string, from: string, to: string): Promise<void> {
    await this.database.rows(RENAME_BELOW, [uid, from, to]);
  }

  /**
   * Declines for the user the shares from accounts of this instance at `path` and below it; they can be accepted again.
   * Shares of partners are left by `ReceivedShareRepository`, since their servers are told.
   */
  async declineAtOrBelow(uid: string, path: string): Promise<void> {
    await this.database.rows(DECLINE_AT_OR_BELOW, [uid, path]);
  }

  /** Whether one of these folders of a storage is shared with anybody. */
  async anySharedOut(storageId: number, folderPaths: readonly string[]): Promise<boolean> {
    const [row] = await this.database.rows(SHARED_OUT, [storageId, folderPaths.map(md5), folderPaths]);
    return row!.found;
  }
}
