import { SHARE_TYPES } from '#sharing';
import { array, int4, int8, json, jsonText, nullable, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { NOTIFYING_APP, RESHARE } from '../accounts/notified-objects';
import { AUTHOR, AUTHOR_KIND } from './author-sql';
import type { HeldByResharers } from './kept-conditions';
import { FAVORITES } from './node-property.repository';
import { CONTENT_COLUMNS, NODE_ROW, nodeColumns } from './node-row';
import { among, inSubtree, SUBTREE, subtreesOf } from './subtree-sql';

export const LOCK_STORAGES = statement({
  name: 'storage.lock',
  goesWithBegin: true,
  plannedOnce: true,
  params: { storageIds: array(int4) },
  sql: `SELECT id FROM storage WHERE id = ANY(:storageIds::integer[]) ORDER BY id FOR NO KEY UPDATE`,
});

/** The author of a content: a user, or the visitor or partner of a share. Folders have none. */
const AUTHOR_PARAMS = { author: nullable(text), throughShare: nullable(int8) };

export const INSERT = statement({
  name: 'node.insert',
  plannedOnce: true,
  params: {
    storageId: int4,
    parentId: int8,
    ownerUid: text,
    name: text,
    path: text,
    kind: text,
    mimetype: text,
    ...CONTENT_COLUMNS,
    blobKey: nullable(text),
    ...AUTHOR_PARAMS,
  },
  row: NODE_ROW,
  sql: `INSERT INTO node AS n (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key, checksum, author_kind, author, stored_at)
   VALUES (:storageId, :parentId, :ownerUid, :name, :path, :kind, :mimetype, :size, :mtime, :etag, :blobKey, :checksum, ${AUTHOR_KIND}, ${AUTHOR},
     CASE WHEN :kind = 'file' THEN now() END)
   RETURNING ${nodeColumns('n')}`,
});

export const OVERWRITE = statement({
  name: 'node.overwrite',
  plannedOnce: true,
  params: {
    nodeId: int8,
    ...CONTENT_COLUMNS,
    blobKey: text,
    ...AUTHOR_PARAMS,
  },
  row: NODE_ROW,
  sql: `UPDATE node n SET size = :size, mtime = :mtime, etag = :etag, blob_key = :blobKey, checksum = :checksum, author_kind = ${AUTHOR_KIND},
     author = ${AUTHOR}, stored_at = now() WHERE n.id = :nodeId
   RETURNING ${nodeColumns('n')}`,
});

export const TOUCH = statement({
  name: 'node.touch',
  params: { nodeId: int8, mtime: timestamptz, etag: text },
  sql: `UPDATE node SET mtime = :mtime, etag = :etag WHERE id = :nodeId`,
});

// Rows are locked in the order of their ids, so two writers below different folders never wait for each other in a circle.
export const PROPAGATE = statement({
  name: 'node.propagate',
  plannedOnce: true,
  params: { folderIds: array(int8), sizeDeltas: array(int8), etag: text, at: timestamptz },
  sql: `WITH RECURSIVE up AS (
     SELECT n.id, n.parent_id, grown.delta
     FROM unnest(:folderIds::bigint[], :sizeDeltas::bigint[]) AS grown(id, delta) JOIN node n ON n.id = grown.id
     UNION ALL
     SELECT n.id, n.parent_id, up.delta FROM node n JOIN up ON n.id = up.parent_id
   ), grown AS (
     SELECT id, sum(delta)::bigint AS delta FROM up GROUP BY id
   ), locked AS (
     SELECT n.id FROM node n WHERE ${among('n.id', 'grown')} ORDER BY n.id FOR NO KEY UPDATE
   )
   UPDATE node n SET size = n.size + grown.delta, etag = md5(:etag || n.id), mtime = greatest(n.mtime, :at)
   FROM grown WHERE n.id = grown.id AND ${among('n.id', 'locked')}`,
});

export const DELETE = statement({
  name: 'node.delete_subtrees',
  plannedOnce: true,
  params: { nodeIds: array(int8), acting: text },
  row: { blobKey: nullable(text) },
  sql: `WITH RECURSIVE ${subtreesOf('id = ANY(:nodeIds::bigint[])')}, ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s WHERE ${inSubtree('s.node_id')} AND s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   ), versions AS (
     DELETE FROM file_version WHERE ${inSubtree('node_id')} RETURNING node_id, size, blob_key
   ), counted AS (
     UPDATE storage s SET version_bytes = greatest(0, s.version_bytes - removed.bytes)
     FROM (SELECT n.storage_id, sum(v.size) AS bytes FROM versions v
       CROSS JOIN LATERAL (SELECT storage_id FROM node WHERE id = v.node_id OFFSET 0) n GROUP BY n.storage_id) removed
     WHERE s.id = removed.storage_id
   ), gone AS (
     DELETE FROM node WHERE ${inSubtree('id')} AND ${ACTING} RETURNING blob_key
   )
   SELECT blob_key AS "blobKey" FROM gone UNION ALL SELECT blob_key FROM versions`,
});

export const MOVE = statement({
  name: 'node.move_subtree',
  params: {
    nodeId: int8,
    storageId: int4,
    ownerUid: text,
    parentId: int8,
    name: text,
    path: text,
    mimetype: text,
  },
  sql: `WITH RECURSIVE ${SUBTREE}, top AS (SELECT char_length(path) AS length FROM node WHERE id = :nodeId), unlocked AS (
     DELETE FROM node_lock WHERE ${inSubtree('node_id')}
   )
   UPDATE node n SET
     storage_id = :storageId, owner_uid = :ownerUid, path = :path || substr(n.path, top.length + 1),
     parent_id = CASE WHEN n.id = :nodeId THEN :parentId ELSE n.parent_id END,
     name = CASE WHEN n.id = :nodeId THEN :name ELSE n.name END,
     mimetype = CASE WHEN n.id = :nodeId THEN :mimetype ELSE n.mimetype END
   FROM top WHERE ${inSubtree('n.id')}`,
});

export const HELD_BY_RESHARERS = statement({
  name: 'node.held_by_resharers',
  params: { nodeId: int8 },
  row: { held: nullable(json<NonNullable<HeldByResharers>>()) },
  sql: 'SELECT held_by_resharers(:nodeId) AS held',
});

export const SETTLE_RESHARES = statement({
  name: 'node.settle_reshares',
  params: { storageId: int4, path: text, kept: jsonText },
  sql: `SELECT settle_reshares(:storageId, :path, k.initiators, k.attributes) FROM (
     SELECT ARRAY[uid], attributes::text FROM jsonb_to_recordset(:kept::jsonb) AS of_one(uid text, attributes jsonb) UNION ALL SELECT NULL, NULL
   ) k(initiators, attributes)`,
});

/** The new owner needs no share of their own nodes, and no place for it among received shares. */
export const GIVE_SHARES = statement({
  name: 'node.give_shares_of_subtree',
  params: { nodeId: int8, ownerUid: text, acting: text },
  sql: `WITH RECURSIVE ${SUBTREE}, given AS MATERIALIZED (
     SELECT s.id, s.owner_uid, s.initiator_uid, s.share_type = ${SHARE_TYPES.user} AND s.recipient_canonical = :ownerUid AS to_owner FROM share s WHERE ${inSubtree('s.node_id')} AND ${ACTING}
   ), ended AS (
     DELETE FROM share WHERE ${among('id', 'given WHERE to_owner')}
   ), unmounted AS (
     DELETE FROM share_recipient WHERE uid = :ownerUid AND ${among('share_id', 'given WHERE NOT to_owner')}
   ), announced AS (
     DELETE FROM notification t USING given WHERE t.uid IN (given.owner_uid, given.initiator_uid) AND t.app = '${NOTIFYING_APP}' AND t.object_type = '${RESHARE}' AND t.object_id = given.id::text
   )
   UPDATE share SET owner_uid = :ownerUid, access_lost_at = NULL WHERE ${among('id', 'given WHERE NOT to_owner')}`,
});

export const NEW_IDS = statement({
  name: 'node.new_ids',
  plannedOnce: true,
  params: { count: int4 },
  row: { id: int8 },
  sql: `SELECT nextval(pg_get_serial_sequence('node', 'id')) AS id FROM generate_series(1, :count::integer)`,
});

/**
 * Lets Postgres plan the checks of foreign keys again. A connection keeps their plans until the statistics change. Plans
 * from the time when a table had a few rows read it from end to end, once for each row that is inserted.
 */
export const PLAN_CHECKS_AGAIN = statement({
  name: 'node.plan_checks_again',
  sql: 'DISCARD PLANS',
});

export const INSERT_MANY = statement({
  name: 'node.insert_many',
  plannedOnce: true,
  params: { storageId: int4, ownerUid: text, etag: text, records: jsonText, ...AUTHOR_PARAMS },
  sql: `INSERT INTO node (id, storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, blob_key, checksum, author_kind, author, stored_at)
   OVERRIDING SYSTEM VALUE
   SELECT r.id, :storageId, r.parent_id, :ownerUid, r.name, r.path, r.kind, r.mimetype, r.size, r.mtime, md5(:etag || r.id), r.blob_key, r.checksum,
     CASE r.kind WHEN 'file' THEN ${AUTHOR_KIND} END, CASE r.kind WHEN 'file' THEN ${AUTHOR} END, CASE r.kind WHEN 'file' THEN now() END
   FROM jsonb_to_recordset(:records::jsonb) AS r(id bigint, parent_id bigint, name text, path text, kind text, mimetype text,
     size bigint, mtime timestamptz, blob_key text, checksum text)`,
});

export const COPY_PROPERTIES = statement({
  name: 'node.copy_properties',
  params: { originals: array(int8), copies: array(int8) },
  sql: `INSERT INTO dead_property (node_id, namespace, name, value)
   SELECT pair.copy, d.namespace, d.name, d.value
   FROM unnest(:originals::bigint[], :copies::bigint[]) AS pair(original, copy)
   JOIN dead_property d ON d.node_id = pair.original AND d.namespace <> '${FAVORITES}'`,
});
