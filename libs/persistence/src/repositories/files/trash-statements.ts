import { SHARE_TYPES } from '#sharing';
import {
  array,
  int4,
  int8,
  json,
  jsonText,
  nullable,
  text,
  timestamptz,
  type RowOf,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import type { HeldByResharers } from './kept-conditions';
import { DISPLACED } from './mount-sql';
import { NODE_ROW, nodeColumns } from './node-row';
import { among, inSubtree, joinEntriesOf, SUBTREE } from './subtree-sql';

/** Columns of a node in the trash bin, with its deletion. */
const TRASHED_ROW = {
  ...NODE_ROW,
  /** The deleted node: this one, or a folder above it. */
  topId: int8,
  topName: text,
  /** Path of the former folder of `topId`; `''` for the root. */
  folderPath: text,
  deletedAt: timestamptz,
  /** Kind of actor, as in the audit log, or `visitor` of a link. */
  actorKind: text,
  /** User id, or host of a partner. */
  actor: nullable(text),
  actorDisplayName: nullable(text),
};
export type TrashedRow = RowOf<typeof TRASHED_ROW>;

const COLUMNS = `${nodeColumns('n')}, t.node_id AS "topId", t.name AS "topName", t.folder_path AS "folderPath", t.deleted_at AS "deletedAt",
  t.actor_kind AS "actorKind", t.actor, by_user.display_name AS "actorDisplayName"`;
const ACTOR = `LEFT JOIN user_account by_user ON t.actor_kind = 'user' AND by_user.uid = t.actor`;

/** Waits for calls that share one of the nodes at this moment, so that no share is missed. Then it reads the shares of resharers. */
export const LOCK_SUBTREE = statement({
  name: 'trash.lock_subtree',
  params: { nodeId: int8 },
  row: { held: nullable(json<NonNullable<HeldByResharers>>()) },
  sql: `WITH RECURSIVE ${SUBTREE}
   SELECT held_by_resharers(:nodeId) AS held FROM (SELECT FROM node WHERE ${inSubtree('id')} ORDER BY id FOR UPDATE) locked HAVING count(*) > 0`,
});

export const KEEP_CONDITIONS = statement({
  name: 'trash.keep_conditions',
  params: { nodeId: int8, kept: jsonText },
  sql: `WITH RECURSIVE ${SUBTREE}
   SELECT keep_conditions(s.id, k.attributes) FROM jsonb_to_recordset(:kept::jsonb) AS k(uid text, attributes jsonb)
   JOIN share s ON s.initiator_uid = k.uid WHERE ${inSubtree('s.node_id')}`,
});

/** Partners that accepted an offer, or may still accept it, get a new offer when the node is restored. */
const OFFERED_AGAIN = `s.requester_peer_id IS NULL AND s.via_owner IS NULL AND s.delivery_state <> 'refused'
    AND s.acceptance NOT IN ('declined', 'left') AND s.recipient_canonical IS NOT NULL`;

/** `shareId` is the share through which the node is deleted. */
export const PUT_INTO_TRASH = statement({
  name: 'trash.put',
  params: { nodeId: int8, shareId: nullable(int8), acting: text },
  sql: `WITH RECURSIVE ${SUBTREE}, top AS (
     SELECT id, owner_uid, name, left(path, -char_length(name) - 1) AS folder_path, char_length(path) AS length FROM node WHERE id = :nodeId
   ), unlocked AS (
     DELETE FROM node_lock WHERE ${inSubtree('node_id')}
   ), through AS (
     SELECT s.share_type, p.host_key FROM share s LEFT JOIN peer p ON p.id = s.peer_id WHERE s.id = :shareId::bigint
   ), entered AS (
     INSERT INTO trashed_node (node_id, owner_uid, name, folder_path, deleted_at, actor_kind, actor, share_id)
     SELECT top.id, top.owner_uid, top.name, top.folder_path,
       greatest(date_trunc('second', now()), (SELECT max(t.deleted_at) + interval '1 second' FROM trashed_node t
         WHERE t.owner_uid = top.owner_uid AND t.name = top.name AND t.deleted_at >= date_trunc('second', now()))),
       CASE through.share_type WHEN ${SHARE_TYPES.link} THEN 'visitor' WHEN ${SHARE_TYPES.federated} THEN 'partner' ELSE coalesce(audit_acting() ->> 'kind', 'system') END,
       CASE through.share_type WHEN ${SHARE_TYPES.link} THEN NULL WHEN ${SHARE_TYPES.federated} THEN through.host_key ELSE audit_acting_name(audit_acting()) END, :shareId::bigint
     FROM top LEFT JOIN through ON true WHERE ${ACTING}
   ), ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s WHERE ${inSubtree('s.node_id')} AND s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   ), offers AS (
     INSERT INTO trashed_offer (node_id, initiator_uid, recipient, recipient_canonical, permissions, expires_on, link_id, attributes, note, recipient_is_group)
     SELECT s.node_id, s.initiator_uid, s.recipient, s.recipient_canonical, s.permissions, s.expires_on, s.link_id, s.attributes, s.note, s.recipient_is_group
     FROM share s WHERE ${inSubtree('s.node_id')} AND s.share_type = ${SHARE_TYPES.federated} AND ${OFFERED_AGAIN}
   ), ended AS (
     DELETE FROM share WHERE share_type = ${SHARE_TYPES.federated} AND ${inSubtree('node_id')}
   ), hidden AS (
     UPDATE share SET trashed_at = now() WHERE share_type <> ${SHARE_TYPES.federated} AND ${inSubtree('node_id')}
   )
   UPDATE node n SET path = '~' || :nodeId::bigint || substr(n.path, top.length + 1), parent_id = CASE WHEN n.id = :nodeId THEN NULL ELSE n.parent_id END
   FROM top WHERE ${inSubtree('n.id')}`,
});

/**
 * For a restored node. If a recipient has something else at the place of a share now, the share gets
 * another place.
 */
export const TAKE_OUT_OF_TRASH = statement({
  name: 'trash.take_out',
  params: { nodeId: int8, acting: text },
  sql: `WITH RECURSIVE ${SUBTREE}, returned AS (
     DELETE FROM trashed_node WHERE node_id = :nodeId AND ${ACTING}
   ), shared AS MATERIALIZED (
     SELECT id, share_type, node_id, token_hmac FROM share WHERE ${inSubtree('node_id')}
   ), links AS (
     DELETE FROM link_of_deleted_node WHERE token_hmac = ANY(ARRAY(SELECT token_hmac FROM shared WHERE share_type = ${SHARE_TYPES.link}))
   ), displaced AS (
     UPDATE share_recipient r SET file_target = NULL FROM shared s
     WHERE ${among('r.share_id', 'shared')} AND s.id = r.share_id AND ${DISPLACED}
   )
   UPDATE share SET trashed_at = NULL WHERE ${among('id', 'shared')}`,
});

export const TOP_IDS = statement({
  name: 'trash.top_ids',
  params: { ownerUid: text },
  row: { ids: array(int8) },
  sql: `SELECT coalesce(array_agg(node_id ORDER BY deleted_at DESC, node_id DESC), '{}') AS ids FROM trashed_node WHERE owner_uid = :ownerUid`,
});

export const TOPS_AMONG = statement({
  name: 'trash.tops_among',
  params: { ownerUid: text, ids: array(int8) },
  row: TRASHED_ROW,
  sql: `SELECT ${COLUMNS} FROM trashed_node t JOIN node n ON n.id = t.node_id ${ACTOR}
   WHERE t.node_id = ANY(:ids::bigint[]) AND t.owner_uid = :ownerUid ORDER BY t.deleted_at DESC, t.node_id DESC`,
});

export const ENTRIES_AMONG = statement({
  name: 'trash.entries_among',
  params: { topId: int8, folderId: int8, ids: array(int8) },
  row: TRASHED_ROW,
  // Postgres would also look up all entries of a folder that was filled after its last statistics, for each part of the list.
  sql: `SELECT ${COLUMNS} FROM trashed_node t
   JOIN (SELECT * FROM node WHERE id = ANY(:ids::bigint[]) OFFSET 0) n ON n.parent_id = :folderId ${ACTOR}
   WHERE t.node_id = :topId ORDER BY n.name`,
});

/** Nodes below deleted folders of the user, at any depth: below `folderId` in `topId`, or below all deleted folders if both are null. */
export const BELOW = statement({
  name: 'trash.below',
  params: { ownerUid: text, topId: nullable(int8), folderId: nullable(int8), limit: int8 },
  row: TRASHED_ROW,
  sql: `WITH RECURSIVE sub AS (
     SELECT n.id, t.node_id AS top_id FROM trashed_node t ${joinEntriesOf('coalesce(:folderId::bigint, t.node_id)', 'id')}
     WHERE t.owner_uid = :ownerUid AND t.node_id = coalesce(:topId::bigint, t.node_id)
     UNION ALL
     SELECT n.id, sub.top_id FROM sub ${joinEntriesOf('sub.id', 'id')}
   )
   SELECT ${COLUMNS} FROM (SELECT id, top_id FROM sub LIMIT :limit) found
   CROSS JOIN LATERAL (SELECT * FROM trashed_node WHERE node_id = found.top_id OFFSET 0) t JOIN node n ON n.id = found.id
   LEFT JOIN LATERAL (SELECT display_name FROM user_account WHERE t.actor_kind = 'user' AND uid = t.actor OFFSET 0) by_user ON true ORDER BY n.path`,
});

export const FIND = statement({
  name: 'trash.find',
  params: { ownerUid: text, nodeId: int8 },
  row: TRASHED_ROW,
  sql: `SELECT ${COLUMNS} FROM node n
   JOIN trashed_node t ON t.node_id = CASE WHEN starts_with(n.path, '~') THEN substr(split_part(n.path, '/', 1), 2)::bigint END ${ACTOR}
   WHERE t.owner_uid = :ownerUid AND n.id = :nodeId`,
});

/** `second` is the time of the deletion, `below` the path below the deleted node: `''` or `/folder/name`. */
export const FIND_BY_NAME = statement({
  name: 'trash.find_by_name',
  params: { ownerUid: text, name: text, second: int8, below: text },
  row: TRASHED_ROW,
  sql: `SELECT ${COLUMNS} FROM trashed_node t
   JOIN node top ON top.id = t.node_id
   JOIN node n ON n.storage_id = top.storage_id AND n.path_hash = md5(top.path || :below::text)::uuid AND n.path = top.path || :below ${ACTOR}
   WHERE t.owner_uid = :ownerUid AND t.name = :name AND t.deleted_at = to_timestamp(:second::bigint)`,
});

/** Users without a quota have no share of it for the trash bin, so their entries are not even read. */
export const OVER_SHARE = statement({
  name: 'trash.over_share',
  params: { ownerUid: text, defaultPercent: int8 },
  row: { nodeId: int8 },
  sql: `WITH owner AS (
     SELECT uid, quota_bytes, coalesce((SELECT value::bigint FROM setting WHERE app = 'files_trashbin' AND key = 'quota_percent'),
       :defaultPercent) AS percent
     FROM user_account WHERE uid = :ownerUid AND quota_bytes IS NOT NULL
   ), kept AS (
     SELECT t.node_id, t.owner_uid, sum(n.size) OVER (ORDER BY t.deleted_at DESC, t.node_id DESC) AS bytes
     FROM trashed_node t JOIN node n ON n.id = t.node_id WHERE t.owner_uid = (SELECT uid FROM owner)
   )
   SELECT kept.node_id AS "nodeId" FROM kept JOIN owner ON owner.uid = kept.owner_uid
   WHERE owner.percent > 0 AND kept.bytes > owner.quota_bytes * owner.percent / 100`,
});

const RETENTION = `coalesce((SELECT value::bigint FROM setting WHERE app = 'files_trashbin' AND key = 'retention_days'), :defaultDays)`;

export const EXPIRED = statement({
  name: 'trash.expired',
  params: { defaultDays: int8, limit: int8 },
  row: { nodeId: int8, storageId: int4 },
  sql: `SELECT t.node_id AS "nodeId", n.storage_id AS "storageId" FROM trashed_node t JOIN node n ON n.id = t.node_id
   WHERE ${RETENTION} > 0 AND t.deleted_at < now() - ${RETENTION} * interval '1 day' ORDER BY t.deleted_at, t.node_id LIMIT :limit`,
});

/** Nodes of this list that are still in the trash bin. */
export const STILL_TRASHED = statement({
  name: 'trash.still_trashed',
  params: { nodeIds: array(int8) },
  row: { nodeId: int8 },
  sql: `SELECT node_id AS "nodeId" FROM trashed_node WHERE node_id = ANY(:nodeIds)`,
});

export const OLDEST = statement({
  name: 'trash.oldest_of_owner',
  params: { ownerUid: text, limit: int8 },
  row: { nodeId: int8 },
  sql: `SELECT node_id AS "nodeId" FROM trashed_node WHERE owner_uid = :ownerUid ORDER BY deleted_at, node_id LIMIT :limit`,
});
