import {
  array,
  bool,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { statement } from '../../statement';
import { CONTENT_COLUMNS } from './node-row';
import { inSubtree, SUBTREE } from './subtree-sql';

type AuthorKind = 'user' | 'visitor' | 'partner';

/** Author of a content; all null if not known. */
const AUTHOR_COLUMNS = {
  authorKind: nullable(textOf<AuthorKind>()),
  /** User id, or host of a partner. */
  author: nullable(text),
  authorDisplayName: nullable(text),
};
export type CurrentAuthor = RowOf<typeof AUTHOR_COLUMNS>;

/** An earlier content of a file. */
const VERSION_ROW = {
  id: int8,
  nodeId: int8,
  ...CONTENT_COLUMNS,
  blobKey: text,
  ...AUTHOR_COLUMNS,
  storedAt: timestamptz,
  label: nullable(text),
};
export type VersionRow = RowOf<typeof VERSION_ROW>;

const COLUMNS = `v.id, v.node_id AS "nodeId", v.size, v.mtime, v.etag, v.blob_key AS "blobKey", v.checksum,
  v.author_kind AS "authorKind", v.author, by_user.display_name AS "authorDisplayName", v.stored_at AS "storedAt", v.label`;
const AUTHOR = (alias: string): string =>
  `LEFT JOIN user_account by_user ON ${alias}.author_kind = 'user' AND by_user.uid = ${alias}.author`;

const RETENTION = `coalesce((SELECT value FROM setting WHERE app = 'system' AND key = 'versions_retention_obligation'), :defaultRetention)`;
const PERCENT = `coalesce((SELECT value::bigint FROM setting WHERE app = 'files_versions' AND key = 'quota_percent'), :defaultPercent)`;
const ROOM = `CASE WHEN ${PERCENT} > 0 THEN a.quota_bytes * ${PERCENT} / 100 END`;

/** The versions of a file that just got a new one. `excess` is about all files of the owner. */
const KEPT_VERSION = {
  id: int8,
  size: int8,
  storedAt: timestamptz,
  isNamed: bool,
  retention: text,
  /** Bytes above the owner's quota; null without a quota, negative while there is room. */
  excess: nullable(int8),
};
export type KeptVersion = RowOf<typeof KEPT_VERSION>;

export const KEEP = statement({
  name: 'version.keep',
  params: { nodeId: int8, defaultRetention: text, defaultPercent: int8 },
  row: KEPT_VERSION,
  sql: `WITH kept AS (
     INSERT INTO file_version (node_id, size, mtime, etag, blob_key, checksum, author_kind, author, stored_at)
     SELECT n.id, n.size, n.mtime, n.etag, n.blob_key, n.checksum, n.author_kind, n.author, coalesce(n.stored_at, least(n.mtime, now()))
     FROM node n WHERE n.id = :nodeId AND n.size > 0 AND NOT EXISTS (
       SELECT FROM (SELECT mtime, checksum FROM file_version WHERE node_id = :nodeId ORDER BY id DESC LIMIT 1) newest
       WHERE newest.mtime = n.mtime AND newest.checksum = n.checksum)
     RETURNING id, size, stored_at, false AS is_named
   ), counted AS (
     UPDATE storage s SET version_bytes = s.version_bytes + kept.size FROM kept, node n WHERE n.id = :nodeId AND s.id = n.storage_id
     RETURNING s.owner_uid, s.version_bytes
   )
   SELECT found.id, found.size, found.stored_at AS "storedAt", found.is_named AS "isNamed", ${RETENTION} AS retention,
     counted.version_bytes - ${ROOM} AS excess
   FROM counted JOIN user_account a ON a.uid = counted.owner_uid CROSS JOIN (
     SELECT id, size, stored_at, is_named FROM kept
     UNION ALL
     SELECT id, size, stored_at, label IS NOT NULL FROM file_version WHERE node_id = :nodeId
   ) found`,
});

const COUNT_REMOVED = `counted AS (
     UPDATE storage s SET version_bytes = greatest(0, s.version_bytes - removed.bytes)
     FROM (SELECT n.storage_id, sum(gone.size) AS bytes FROM gone JOIN node n ON n.id = gone.node_id GROUP BY n.storage_id) removed
     WHERE s.id = removed.storage_id
   )`;

/** Removes versions of one file only, so that a made-up id removes nothing elsewhere. */
export const REMOVE = statement({
  name: 'version.remove',
  params: { nodeId: int8, versionIds: array(int8) },
  row: { blobKey: text, size: int8 },
  sql: `WITH gone AS (
     DELETE FROM file_version WHERE node_id = :nodeId AND id = ANY(:versionIds::bigint[]) RETURNING node_id, size, blob_key
   ), ${COUNT_REMOVED}
   SELECT blob_key AS "blobKey", size FROM gone`,
});

/** Removes the oldest versions of an owner until they add up to these bytes; versions that were stored later stay. */
export const REMOVE_OLDEST = statement({
  name: 'version.remove_oldest',
  params: { nodeId: int8, bytes: int8, storedBefore: timestamptz },
  row: { blobKey: text, size: int8 },
  sql: `WITH candidate AS (
     SELECT v.id, sum(v.size) OVER (ORDER BY v.stored_at, v.id) - v.size AS before
     FROM file_version v JOIN node n ON n.id = v.node_id
     WHERE n.storage_id = (SELECT storage_id FROM node WHERE id = :nodeId) AND v.stored_at <= :storedBefore
   ), gone AS (
     DELETE FROM file_version v USING candidate c WHERE v.id = c.id AND c.before < :bytes::bigint RETURNING v.node_id, v.size, v.blob_key
   ), ${COUNT_REMOVED}
   SELECT blob_key AS "blobKey", size FROM gone`,
});

export const LIST = statement({
  name: 'version.list',
  params: { nodeId: int8 },
  row: VERSION_ROW,
  sql: `SELECT ${COLUMNS} FROM file_version v ${AUTHOR('v')} WHERE v.node_id = :nodeId ORDER BY v.id DESC`,
});

export const FIND = statement({
  name: 'version.find',
  params: { nodeId: int8, versionId: int8 },
  row: VERSION_ROW,
  sql: `SELECT ${COLUMNS} FROM file_version v ${AUTHOR('v')} WHERE v.node_id = :nodeId AND v.id = :versionId`,
});

export const FIND_AUTHOR = statement({
  name: 'version.find_author',
  params: { nodeId: int8 },
  row: AUTHOR_COLUMNS,
  sql: `SELECT n.author_kind AS "authorKind", n.author, by_user.display_name AS "authorDisplayName"
   FROM node n ${AUTHOR('n')} WHERE n.id = :nodeId`,
});

export const NAME = statement({
  name: 'version.name',
  params: { nodeId: int8, versionId: int8, label: nullable(text) },
  row: { id: int8 },
  sql: `UPDATE file_version SET label = :label WHERE node_id = :nodeId AND id = :versionId RETURNING id`,
});

export const KEYS_OF = statement({
  name: 'version.keys_of',
  params: { nodeIds: array(int8) },
  row: { blobKey: text },
  sql: `SELECT blob_key AS "blobKey" FROM file_version WHERE node_id = ANY(:nodeIds::bigint[])`,
});

/**
 * Gives copies of files the versions and authors of their originals. `originalKeys` and `copiedKeys` are the contents of the versions; a version
 * whose content was not copied is left out.
 */
export const COPY_HISTORY = statement({
  name: 'version.copy_history',
  params: {
    storageId: int4,
    originals: array(int8),
    copies: array(int8),
    originalKeys: array(text),
    copiedKeys: array(text),
  },
  sql: `WITH pair AS MATERIALIZED (
     SELECT original, copy FROM unnest(:originals::bigint[], :copies::bigint[]) AS pair(original, copy)
   ), authors AS (
     UPDATE node copied SET author_kind = n.author_kind, author = n.author, stored_at = n.stored_at
     FROM pair JOIN node n ON n.id = pair.original WHERE copied.id = pair.copy
   ), kept AS (
     INSERT INTO file_version (node_id, size, mtime, etag, blob_key, checksum, author_kind, author, stored_at, label)
     SELECT pair.copy, v.size, v.mtime, v.etag, content.copied, v.checksum, v.author_kind, v.author, v.stored_at, v.label
     FROM pair JOIN file_version v ON v.node_id = pair.original
     JOIN unnest(:originalKeys::text[], :copiedKeys::text[]) AS content(original, copied) ON content.original = v.blob_key
     ORDER BY v.id
     RETURNING size
   )
   UPDATE storage SET version_bytes = version_bytes + (SELECT coalesce(sum(size), 0) FROM kept) WHERE id = :storageId`,
});

/** Moves the count of versions with their file into the storage of another owner. */
export const MOVE_BYTES = statement({
  name: 'version.move_bytes',
  params: { nodeId: int8, fromStorageId: int4, toStorageId: int4 },
  sql: `WITH RECURSIVE ${SUBTREE}, moved AS (SELECT coalesce(sum(v.size), 0) AS bytes FROM file_version v WHERE ${inSubtree('v.node_id')})
   UPDATE storage s SET version_bytes = greatest(0, s.version_bytes + CASE s.id WHEN :toStorageId THEN moved.bytes ELSE -moved.bytes END)
   FROM moved WHERE s.id IN (:fromStorageId, :toStorageId) AND moved.bytes > 0`,
});
