import { PLACED_HERE } from '../shares/kind-sql';
import { SHARE_TYPES } from '#sharing';
import { ALIVE } from '../shares/share-row';
import { MOUNTED } from '../../received-states';

const ROOT_COLUMNS = 'root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag';

/** States in which a share from a partner can be visible in its recipient's tree; alias `f`. */
export const REMOTE_TAKEN = `f.state IN ${MOUNTED}`;

/** Condition under which it is visible there. */
export const REMOTE_LIVE = `${REMOTE_TAKEN} AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now())`;

/**
 * Whether the owner of a node has it: content from a partner only while the share `f` from there is visible in their tree. It is a look-up
 * for each node, because Postgres could read all shares from partners for a join.
 * @param node alias of the node
 * @param condition further condition on `f`
 */
export const isWithOwner = (node: string, condition = 'true'): string =>
  `(${node}.received_share_id IS NULL OR coalesce((SELECT ${REMOTE_LIVE} AND ${condition} FROM received_share f WHERE f.id = ${node}.received_share_id), false))`;

/** Whether a share `s` gives its recipients here anything now, so that nothing of this waits for a clean-up; alias of its node. */
export const givesAccess = (node: string): string =>
  `s.permissions > 0 AND ${ALIVE} AND ${isWithOwner(node)}`;

/** Shares from accounts of this instance. Memberships are checked here, so they do not wait for a clean-up either. */
const LOCAL_MOUNTS = `SELECT r.uid, r.file_target AS target, r.target_hash, r.folder_hash, s.permissions, s.id AS share_id, s.attributes, NULL::jsonb AS requirements, ${ROOT_COLUMNS}
  FROM share_recipient r
  JOIN share s ON s.id = r.share_id AND s.share_type IN ${PLACED_HERE}
  JOIN node root ON root.id = s.node_id
  WHERE r.state = 0 AND r.file_target IS NOT NULL AND ${givesAccess('root')}
    AND (s.share_type = ${SHARE_TYPES.user} OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid))`;

/** Whether the recipient of a share `s` has something else at the place of its personal row `r` by now. */
export const DISPLACED = `(EXISTS (
       SELECT FROM storage st JOIN node n ON n.storage_id = st.id
       WHERE st.owner_uid = r.uid AND st.received_share_id IS NULL AND n.path_hash = r.target_hash AND n.path = r.file_target OFFSET 0
     ) OR EXISTS (
       SELECT FROM share_recipient other JOIN share of_other ON of_other.id = other.share_id
       WHERE other.uid = r.uid AND other.state = 0 AND other.target_hash = r.target_hash AND other.file_target = r.file_target
         AND of_other.node_id <> s.node_id AND of_other.trashed_at IS NULL OFFSET 0
     ) OR EXISTS (
       SELECT FROM received_share f
       WHERE f.recipient_uid = r.uid AND ${REMOTE_TAKEN} AND f.target_hash = r.target_hash
         AND f.file_target = r.file_target OFFSET 0))`;

/** A single file allows no create or delete; aliases `f` and `root`. */
export const REMOTE_PERMISSIONS = `CASE root.kind WHEN 'file' THEN f.permissions & 19::smallint ELSE f.permissions END`;

/**
 * Shares received from partners, each with its own storage. The join is written in both directions in a form that has no merge join: for one,
 * Postgres would read the storages of all accounts, in the wrong belief that it could stop early.
 */
const REMOTE_MOUNTS = `SELECT f.recipient_uid, f.file_target, f.target_hash, f.folder_hash,
    ${REMOTE_PERMISSIONS}, NULL::bigint, NULL, f.access -> 'requirements', ${ROOT_COLUMNS}
  FROM received_share f
  JOIN storage st ON st.received_share_id = ANY(ARRAY[f.id]) AND f.id = ANY(ARRAY[st.received_share_id])
  JOIN node root ON root.storage_id = st.id AND root.path_hash = md5('')::uuid AND root.path = ''
  WHERE ${REMOTE_LIVE}`;

/**
 * Received shares with their nodes, as far as they are visible in their recipients' trees; alias `m`.
 * An index in both halves serves each condition on `m.uid` with the targets, and on `m.storage_id`.
 */
export const MOUNTS = `(${LOCAL_MOUNTS} UNION ALL ${REMOTE_MOUNTS}) AS m`;

/** The shares behind a group of mounts, as `Grants`. */
export const GRANTS = `json_agg(json_build_object(
    'permissions', m.permissions, 'attributes', m.attributes, 'requirements', m.requirements))`;

/** Changes when a mount of the group is added, removed or moved, or when its content or permissions change. */
export const MOUNT_DIGEST = `md5(string_agg(m.target || ' ' || m.root_etag || ' ' || m.permissions, ' ' ORDER BY m.target, m.root_id, m.share_id))`;

/**
 * Whether `column` (collated "C") is below the folder in `$parameter`; `0` is the character after the slash. It is
 * a range, because an index serves a range with any parameter, but starts_with() only with a constant.
 */
export function below(column: string, parameter: string): string {
  return `${column} > ${parameter} || '/' AND ${column} < ${parameter} || '0'`;
}

/** Shares with the group of the membership `m` that are newer than those for which the member has rows (ADR 0265). */
export const UNSETTLED = `s.share_type = ${SHARE_TYPES.group} AND s.recipient_canonical = m.gid AND s.id > m.settled_up_to`;

/**
 * Those of them for which the member has no row; their own nodes are never mounted. An expired share, and one whose node is in the trash bin,
 * gets a row, too, since it may come back.
 */
export const ROWLESS = `${UNSETTLED} AND s.owner_uid <> m.uid AND NOT EXISTS (SELECT FROM share_recipient r WHERE r.share_id = s.id AND r.uid = m.uid)`;

/**
 * State of a share with a group for a member without a row. Somebody who shared a node with their own group already has it, so their state is
 * declined. For users who accept by hand it is pending.
 * @param share alias of the share
 */
export const stateWithoutRow = (share: string, uid: string): string => `CASE
     WHEN ${share}.initiator_uid = ${uid} THEN 2
     WHEN ${share}.initial_state = 0 AND EXISTS (
       SELECT FROM user_preference asks
       WHERE asks.uid = ${uid} AND asks.app = 'files_sharing' AND asks.key = 'auto_accept_share' AND asks.value = 'no'
     ) THEN 1
     ELSE ${share}.initial_state END`;

/** Shares with the user's groups that have no personal row yet. */
export const WITHOUT_ROW = `FROM group_member m JOIN share s ON ${ROWLESS} WHERE m.uid = :uid`;

/** So many shares with a group are compared for each look at a tree, even if each has a row. With more of them, the look settles the membership. */
const MOST_UNSETTLED = 50;

/** Whether the user has accepted shares without a place in their tree. */
export const ANYTHING_TO_PLACE = `(EXISTS (
     SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
     WHERE r.uid = :uid AND r.state = 0 AND r.file_target IS NULL AND ${ALIVE}
   ) OR EXISTS (SELECT ${WITHOUT_ROW}) OR EXISTS (
     SELECT FROM group_member m CROSS JOIN LATERAL (SELECT FROM share s WHERE ${UNSETTLED} OFFSET ${MOST_UNSETTLED} LIMIT 1) more WHERE m.uid = :uid
   ))`;

/**
 * Those of the digests in `:prefixes` at which the user has a mount, as an array; none for most paths. Each digest is looked up alone: for a
 * list, Postgres reads all mounts of an account when it expects only a few, and some have thousands.
 */
export const PATHS_OF_MOUNTS = `ARRAY(
     SELECT hash FROM unnest((SELECT :prefixes::uuid[])) hash CROSS JOIN LATERAL (
       (SELECT FROM share_recipient r WHERE r.uid = :uid AND r.state = 0 AND r.target_hash = hash LIMIT 1)
       UNION ALL
       (SELECT FROM received_share f WHERE f.recipient_uid = :uid AND ${REMOTE_TAKEN} AND f.target_hash = hash LIMIT 1)
     ) mount)`;
