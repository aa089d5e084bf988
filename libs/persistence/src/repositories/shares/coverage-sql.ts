import { READ, SHARE_TYPES } from '#sharing';
import { bool, int2, int8, json, jsonb, nullable, type RowOf, text } from '../../postgres-types';
import { isWithOwner, REMOTE_LIVE, REMOTE_PERMISSIONS } from '../files/mount-sql';
import { ALIVE, folderWithHash } from './share-row';

/** A way in which a user has a node through an accepted share. */
export const COVERAGE_ROW = {
  /** null for a mount from another instance. */
  share_id: nullable(int8),
  node_id: int8,
  path: text,
  mount_target: text,
  permissions: int2,
  attributes: nullable(text),
  requirements: nullable(jsonb<string[]>()),
  direct: bool,
  folder_id: nullable(int8),
};

/** All ways to one node, by the function `coverage_of`; null for none. */
export const COVERAGE_AS_JSON = nullable(json<RowOf<typeof COVERAGE_ROW>[]>());

/**
 * Starts at the wanted nodes: a mount covers a node if it shows the node or a folder above it, so each node's own
 * path and its ancestors' paths are looked up by their hashes. Other nodes of the owner are not read, nor other shares of the user:
 * the planner expects hundreds of ancestors, so each look-up has a limit or an offset, which keep it a look-up.
 */
export const coverageOf = (uid: string, nodeIds: string): string =>
  `WITH wanted AS MATERIALIZED (
     SELECT n.id, n.storage_id, n.path, array_to_string(parts[1 : depth::integer], '/') AS root_path
     FROM node n CROSS JOIN LATERAL string_to_array(n.path || '/', '/') AS parts
     CROSS JOIN LATERAL unnest(parts) WITH ORDINALITY AS part(name, depth)
     WHERE n.id = ANY(${nodeIds}) AND depth < cardinality(parts)
   ), roots AS MATERIALIZED (
     SELECT w.id AS node_id, w.path, root.id AS root_id, root.path AS root_path, root.kind, root.received_share_id
     FROM wanted w CROSS JOIN LATERAL (SELECT one.* FROM node one
       WHERE one.storage_id = w.storage_id AND one.path_hash = md5(w.root_path)::uuid AND one.path = w.root_path LIMIT 1) root
   )
   SELECT s.id AS share_id, o.node_id, r.file_target || substr(o.path, char_length(o.root_path) + 1) AS path,
     r.file_target AS mount_target, s.permissions, s.attributes, NULL::jsonb AS requirements, o.node_id = o.root_id AS direct,
     ${folderWithHash(uid, 'r.folder_hash')} AS folder_id
   FROM roots o
   CROSS JOIN LATERAL (
     SELECT s.id, s.permissions, s.attributes FROM share s
     WHERE s.node_id = o.root_id AND s.share_type = ${SHARE_TYPES.user} AND s.recipient_canonical = ${uid} AND ${ALIVE}
     UNION ALL
     SELECT s.id, s.permissions, s.attributes FROM share s
     WHERE s.node_id = o.root_id AND s.share_type = ${SHARE_TYPES.group} AND ${ALIVE}
       AND EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = ${uid})
     OFFSET 0
   ) s
   CROSS JOIN LATERAL (SELECT one.* FROM share_recipient one
     WHERE one.share_id = s.id AND one.uid = ${uid} AND one.state = 0 AND one.file_target IS NOT NULL LIMIT 1) r
   WHERE ${isWithOwner('o')}
   UNION ALL
   SELECT NULL, root.node_id, f.file_target || root.path, f.file_target, ${REMOTE_PERMISSIONS}, NULL, f.access -> 'requirements', root.path = '', ${folderWithHash(uid, 'f.folder_hash')}
   FROM roots root
   JOIN received_share f ON f.id = root.received_share_id AND f.recipient_uid = ${uid}
   WHERE root.root_path = '' AND ${REMOTE_LIVE}
   ORDER BY share_id`;

/**
 * Whether a user sees a node: their own, or one that they have by an accepted share. A user who may only upload into a folder sees the folder
 * alone.
 * @param node alias of the node
 */
export const seesNode = (uid: string, node: string): string =>
  `(${node}.owner_uid = ${uid} OR EXISTS (SELECT FROM json_array_elements(coverage_of(${uid}, ${node}.id)) way
     WHERE (way ->> 'direct')::boolean OR ((way ->> 'permissions')::integer & ${READ}) > 0))`;
