import { FOLDER_MIMETYPE, SHARE_TYPES } from '#sharing';
import { statement } from '../../statement';
import { NODE_ROW, nodeColumns } from './node-row';
import { among, joinEntriesOf } from './subtree-sql';
import { array, int4, int8, jsonText, nullable, text, timestamptz } from '../../postgres-types';

/** The folder at `folderPath` of the storage, as `up`. */
const FOLDER = `up.storage_id = :storageId AND up.path_hash = md5(:folderPath::text)::uuid AND up.path = :folderPath`;
const RECORDS = (parameter: string): string =>
  `jsonb_to_recordset(${parameter}::jsonb) AS e(name text, kind text, mimetype text, size bigint, mtime timestamptz, etag text)`;

/** Whether a content waits to be written to a node: until it is delivered, its partner has other content or none. */
const WAITS = (node: string): string => `EXISTS (SELECT FROM stored_write w WHERE w.node_id = ${node}.id)`;

/** Makes folders that are known only by entries below them; in `paths` the topmost comes first. */
export const MAKE_FOLDERS = statement({
  name: 'remote_node.make_folders',
  params: { storageId: int4, paths: array(text) },
  sql: `WITH mended AS (
     UPDATE node n SET kind = 'folder', mimetype = '${FOLDER_MIMETYPE}'
     WHERE n.storage_id = :storageId AND n.path_hash IN (SELECT md5(path)::uuid FROM unnest(:paths::text[]) AS w(path)) AND n.kind = 'file'
   ), missing AS MATERIALIZED (
     SELECT nextval(pg_get_serial_sequence('node', 'id')) AS id, w.path, regexp_replace(w.path, '/[^/]*$', '') AS up_path
     FROM unnest(:paths::text[]) AS w(path)
     WHERE NOT EXISTS (SELECT FROM node n WHERE n.storage_id = :storageId AND n.path_hash = md5(w.path)::uuid AND n.path = w.path)
   )
   INSERT INTO node (id, storage_id, received_share_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   OVERRIDING SYSTEM VALUE
   SELECT m.id, :storageId, root.received_share_id, coalesce(new.id, known.id), root.owner_uid,
     substr(m.path, char_length(m.up_path) + 2), m.path, 'folder', '${FOLDER_MIMETYPE}', now(), md5(random()::text || m.id)
   FROM missing m
   JOIN node root ON root.storage_id = :storageId AND root.path_hash = md5('')::uuid AND root.path = ''
   LEFT JOIN missing new ON new.path = m.up_path
   LEFT JOIN node known ON known.storage_id = :storageId AND known.path_hash = md5(m.up_path)::uuid AND known.path = m.up_path`,
});

/** Removes entries of a folder that are missing among the read entries, or have another kind there. Links to them end as usual. */
const removing = (condition: string): string => `WITH RECURSIVE gone AS (
     SELECT n.id FROM node up JOIN node n ON n.parent_id = up.id
     WHERE ${FOLDER} AND ${condition} AND NOT ${WAITS('n')}
     UNION ALL
     SELECT n.id FROM gone ${joinEntriesOf('gone.id', 'id')}
   ), ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s WHERE ${among('s.node_id', 'gone')} AND s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   )
   DELETE FROM node WHERE ${among('id', 'gone')} RETURNING id`;

export const REMOVE_OTHERS = statement({
  name: 'remote_node.remove_others',
  params: { storageId: int4, folderPath: text, records: jsonText },
  row: { id: int8 },
  sql: removing(`NOT EXISTS (SELECT FROM ${RECORDS(':records')} WHERE e.name = n.name AND e.kind = n.kind)`),
});
export const REMOVE_CHANGED_KINDS = statement({
  name: 'remote_node.remove_changed_kinds',
  params: { storageId: int4, folderPath: text, records: jsonText },
  row: { id: int8 },
  sql: removing(`EXISTS (SELECT FROM ${RECORDS(':records')} WHERE e.name = n.name AND e.kind <> n.kind)`),
});
export const REMOVE_NAMED = statement({
  name: 'remote_node.remove_named',
  params: { storageId: int4, folderPath: text, name: text },
  row: { id: int8 },
  sql: removing('n.name = :name'),
});

/**
 * Writes entries of a folder; unchanged rows are left alone. New etags of folders are made from `newEtag`. A delivered file
 * keeps the etag that its writer saw, until its partner has another content.
 */
export const PUT_ENTRIES = statement({
  name: 'remote_node.put_entries',
  params: { storageId: int4, folderPath: text, records: jsonText, newEtag: text },
  row: { id: int8 },
  sql: `INSERT INTO node AS n (storage_id, received_share_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, partner_etag)
   SELECT up.storage_id, up.received_share_id, up.id, up.owner_uid, e.name, up.path || '/' || e.name, e.kind, e.mimetype, e.size,
     e.mtime, CASE e.kind WHEN 'folder' THEN md5(:newEtag || e.name) ELSE e.etag END, e.etag
   FROM node up CROSS JOIN ${RECORDS(':records')}
   WHERE ${FOLDER}
   ON CONFLICT (parent_id, name) DO UPDATE SET mimetype = excluded.mimetype, size = excluded.size, mtime = excluded.mtime,
     etag = CASE WHEN n.kind = 'file' AND n.partner_etag = excluded.partner_etag THEN n.etag ELSE excluded.etag END,
     partner_etag = excluded.partner_etag
   WHERE (n.mimetype, n.size, n.mtime, n.partner_etag)
     IS DISTINCT FROM (excluded.mimetype, excluded.size, excluded.mtime, excluded.partner_etag) AND NOT ${WAITS('n')}
   RETURNING n.id`,
});

/** Writes the root of a storage; the etag of a folder becomes `newEtag`. */
export const PUT_ROOT = statement({
  name: 'remote_node.put_root',
  params: {
    storageId: int4,
    kind: text,
    mimetype: text,
    size: int8,
    mtime: timestamptz,
    newEtag: text,
    etag: text,
  },
  row: { id: int8 },
  sql: `UPDATE node n SET kind = :kind, mimetype = :mimetype, size = :size, mtime = :mtime, partner_etag = :etag,
     etag = CASE WHEN :kind::text = 'folder' THEN :newEtag WHEN n.partner_etag = :etag THEN n.etag ELSE :etag END
   WHERE n.storage_id = :storageId AND n.path_hash = md5('')::uuid AND n.path = ''
     AND (n.kind, n.mimetype, n.size, n.mtime, n.partner_etag)
       IS DISTINCT FROM (:kind::text, :mimetype::text, :size::bigint, :mtime::timestamptz, :etag::text) AND NOT ${WAITS('n')}
   RETURNING n.id`,
});

export const NOTE_LISTED = statement({
  name: 'remote_node.note_listed',
  params: { storageId: int4, folderPath: text },
  sql: `UPDATE node up SET listed_at = now()
   WHERE ${FOLDER} AND (up.listed_at IS NULL OR up.listed_at < now() - interval '1 minute')`,
});

/** Gives the folder and all folders above it a new etag made from `newEtag`, and `sizeDelta` more bytes. */
export const PROPAGATE = statement({
  name: 'remote_node.propagate',
  params: { storageId: int4, folderPath: text, newEtag: text, sizeDelta: int8 },
  sql: `WITH RECURSIVE above AS (
     SELECT up.id, up.parent_id FROM node up WHERE ${FOLDER}
     UNION ALL
     SELECT n.id, n.parent_id FROM node n JOIN above ON n.id = above.parent_id
   )
   UPDATE node n SET etag = md5(:newEtag || n.id), size = greatest(0, n.size + :sizeDelta)
   WHERE ${among('n.id', 'above')}`,
});

/** The cached node at one path. */
export const AT_PATH = statement({
  name: 'remote_node.at_path',
  params: { storageId: int4, folderPath: text },
  row: NODE_ROW,
  sql: `SELECT ${nodeColumns('up')} FROM node up WHERE ${FOLDER}`,
});

/** ETag of a file at its partner. */
export const PARTNER_ETAG = statement({
  name: 'remote_node.partner_etag',
  params: { id: int8 },
  row: { partnerEtag: nullable(text) },
  sql: 'SELECT partner_etag AS "partnerEtag" FROM node WHERE id = :id',
});
export const SET_PARTNER_ETAG = statement({
  name: 'remote_node.set_partner_etag',
  params: { id: int8, partnerEtag: text },
  sql: 'UPDATE node SET partner_etag = :partnerEtag WHERE id = :id',
});
