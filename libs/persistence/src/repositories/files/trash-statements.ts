import { SHARE_TYPES } from '#sharing';
import { decision, statement } from '../../statement';
import { nodeColumns, type NodeRow } from './node-row';

/** A node in the trash bin, with the deletion that brought it there. */
export interface TrashedRow extends NodeRow {
  /** The node that was deleted: this one, or a folder above it. */
  readonly topId: number;
  readonly topName: string;
  /** Path of the folder that `topId` was deleted from; `''` for the root. */
  readonly folderPath: string;
  readonly deletedAt: Date;
  /** Kind of actor, as in the audit log, or `visitor` of a link. */
  readonly actorKind: string;
  /** User id, or host of a partner. */
  readonly actor: string | null;
  readonly actorDisplayName: string | null;
}

const COLUMNS = `${nodeColumns('n')}, t.node_id AS "topId", t.name AS "topName", t.folder_path AS "folderPath", t.deleted_at AS "deletedAt",
  t.actor_kind AS "actorKind", t.actor, by_user.display_name AS "actorDisplayName"`;
const ACTOR = `LEFT JOIN user_account by_user ON t.actor_kind = 'user' AND by_user.uid = t.actor`;

const SUBTREE = `sub AS (
     SELECT id, path FROM node WHERE id = $1
     UNION ALL
     SELECT n.id, n.path FROM node n JOIN sub ON n.parent_id = sub.id
   )`;

/**
 * Waits for calls that share one of the nodes at this moment, so that no share is missed. The actor is known from here on: the
 * next statement reads it, perhaps before it would have handed it over.
 */
export const LOCK_SUBTREE = decision(
  'trash.lock_subtree',
  (acting) => `WITH RECURSIVE ${SUBTREE}
   SELECT count(*) FROM (SELECT FROM node WHERE id IN (SELECT id FROM sub) AND ${acting} ORDER BY id FOR UPDATE) locked`,
);

/** Partners that took an offer, or may still take it, are offered a restored node again. */
const OFFERED_AGAIN = `s.requester_peer_id IS NULL AND s.via_owner IS NULL AND s.delivery_state <> 'refused'
    AND s.acceptance NOT IN ('declined', 'left')`;

/** $1 the node, $2 the share through which it is deleted. */
export const PUT_INTO_TRASH = decision(
  'trash.put',
  (acting) => `WITH RECURSIVE ${SUBTREE}, top AS (
     SELECT id, owner_uid, name, left(path, -char_length(name) - 1) AS folder_path, char_length(path) AS length FROM node WHERE id = $1
   ), through AS (
     SELECT s.share_type, p.host_key FROM share s LEFT JOIN peer p ON p.id = s.peer_id WHERE s.id = $2::bigint
   ), entered AS (
     INSERT INTO trashed_node (node_id, owner_uid, name, folder_path, deleted_at, actor_kind, actor, share_id)
     SELECT top.id, top.owner_uid, top.name, top.folder_path,
       greatest(date_trunc('second', now()), (SELECT max(t.deleted_at) + interval '1 second' FROM trashed_node t
         WHERE t.owner_uid = top.owner_uid AND t.name = top.name AND t.deleted_at >= date_trunc('second', now()))),
       CASE through.share_type WHEN 3 THEN 'visitor' WHEN 6 THEN 'partner' ELSE coalesce(audit_acting() ->> 'kind', 'system') END,
       CASE through.share_type WHEN 3 THEN NULL WHEN 6 THEN through.host_key ELSE audit_acting_name(audit_acting()) END, $2::bigint
     FROM top LEFT JOIN through ON true WHERE ${acting}
   ), ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s JOIN sub ON s.node_id = sub.id WHERE s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   ), offers AS (
     INSERT INTO trashed_offer (node_id, initiator_uid, recipient, recipient_canonical, permissions, expires_on, link_id)
     SELECT s.node_id, s.initiator_uid, s.recipient, s.recipient_canonical, s.permissions, s.expires_on, s.link_id
     FROM share s JOIN sub ON s.node_id = sub.id WHERE s.share_type = ${SHARE_TYPES.federated} AND ${OFFERED_AGAIN}
   ), ended AS (
     DELETE FROM share WHERE share_type = ${SHARE_TYPES.federated} AND node_id IN (SELECT id FROM sub)
   ), hidden AS (
     UPDATE share SET trashed_at = now() WHERE share_type <> ${SHARE_TYPES.federated} AND node_id IN (SELECT id FROM sub)
   )
   UPDATE node n SET path = '~' || $1 || substr(n.path, top.length + 1), parent_id = CASE WHEN n.id = $1 THEN NULL ELSE n.parent_id END
   FROM sub, top WHERE n.id = sub.id`,
);

/**
 * $1 the node, which stands in a tree again. A recipient who has something else at the place of a share by now gets
 * another place for it.
 */
export const TAKE_OUT_OF_TRASH = decision(
  'trash.take_out',
  (acting) => `WITH RECURSIVE ${SUBTREE}, returned AS (
     DELETE FROM trashed_node WHERE node_id = $1 AND ${acting}
   ), links AS (
     DELETE FROM link_of_deleted_node l USING share s, sub WHERE s.node_id = sub.id AND s.share_type = ${SHARE_TYPES.link} AND l.token_hmac = s.token_hmac
   ), displaced AS (
     UPDATE share_recipient r SET file_target = NULL FROM share s, sub
     WHERE s.node_id = sub.id AND r.share_id = s.id AND EXISTS (
       SELECT FROM storage st JOIN node n ON n.storage_id = st.id
       WHERE st.owner_uid = r.uid AND st.received_share_id IS NULL AND n.path_hash = r.target_hash AND n.path = r.file_target)
   )
   UPDATE share SET trashed_at = NULL WHERE node_id IN (SELECT id FROM sub)`,
);

export const LIST = statement<TrashedRow>(
  'trash.list',
  `SELECT ${COLUMNS} FROM trashed_node t JOIN node n ON n.id = t.node_id ${ACTOR}
   WHERE t.owner_uid = $1 ORDER BY t.deleted_at DESC, t.node_id DESC`,
);

export const ENTRIES = statement<TrashedRow>(
  'trash.entries',
  `SELECT ${COLUMNS} FROM trashed_node t JOIN node n ON n.parent_id = $2 ${ACTOR} WHERE t.node_id = $1 ORDER BY n.name`,
);

/** $1 owner, $2 id. */
export const FIND = statement<TrashedRow>(
  'trash.find',
  `SELECT ${COLUMNS} FROM node n
   JOIN trashed_node t ON t.node_id = CASE WHEN starts_with(n.path, '~') THEN substr(split_part(n.path, '/', 1), 2)::bigint END ${ACTOR}
   WHERE t.owner_uid = $1 AND n.id = $2`,
);

/** $1 owner, $2 name of what was deleted, $3 second of the deletion, $4 path below it: `''` or `/folder/name`. */
export const FIND_BY_NAME = statement<TrashedRow>(
  'trash.find_by_name',
  `SELECT ${COLUMNS} FROM trashed_node t
   JOIN node top ON top.id = t.node_id
   JOIN node n ON n.storage_id = top.storage_id AND n.path_hash = md5(top.path || $4)::uuid AND n.path = top.path || $4 ${ACTOR}
   WHERE t.owner_uid = $1 AND t.name = $2 AND t.deleted_at = to_timestamp($3::bigint)`,
);

/** $1 owner, $2 how many. */
export const OLDEST = statement<{ nodeId: number }>(
  'trash.oldest_of_owner',
  `SELECT node_id AS "nodeId" FROM trashed_node WHERE owner_uid = $1 ORDER BY deleted_at, node_id LIMIT $2`,
);
