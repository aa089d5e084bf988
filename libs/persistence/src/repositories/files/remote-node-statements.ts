import { SHARE_TYPES } from '#sharing';
import { statement } from '../../statement';
import { nodeColumns, type NodeRow } from './node-row';

/** The folder at path $2 of storage $1, as `up`. */
const FOLDER = `up.storage_id = $1 AND up.path_hash = md5($2::text)::uuid AND up.path = $2`;
const RECORDS = (parameter: string): string =>
  `jsonb_to_recordset(${parameter}::jsonb) AS e(name text, kind text, mimetype text, size bigint, mtime timestamptz, etag text)`;

/** Folders of which nothing is known but that something lies below them. $2: the topmost first. */
export const MAKE_FOLDERS = statement(
  'remote_node.make_folders',
  `WITH mended AS (
     UPDATE node n SET kind = 'folder', mimetype = 'httpd/unix-directory'
     WHERE n.storage_id = $1 AND n.path_hash IN (SELECT md5(path)::uuid FROM unnest($2::text[]) AS w(path)) AND n.kind = 'file'
   ), missing AS MATERIALIZED (
     SELECT nextval(pg_get_serial_sequence('node', 'id')) AS id, w.path, regexp_replace(w.path, '/[^/]*$', '') AS up_path
     FROM unnest($2::text[]) AS w(path)
     WHERE NOT EXISTS (SELECT FROM node n WHERE n.storage_id = $1 AND n.path_hash = md5(w.path)::uuid AND n.path = w.path)
   )
   INSERT INTO node (id, storage_id, received_share_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   OVERRIDING SYSTEM VALUE
   SELECT m.id, $1, root.received_share_id, coalesce(new.id, known.id), root.owner_uid,
     substr(m.path, char_length(m.up_path) + 2), m.path, 'folder', 'httpd/unix-directory', now(), md5(random()::text || m.id)
   FROM missing m
   JOIN node root ON root.storage_id = $1 AND root.path_hash = md5('')::uuid AND root.path = ''
   LEFT JOIN missing new ON new.path = m.up_path
   LEFT JOIN node known ON known.storage_id = $1 AND known.path_hash = md5(m.up_path)::uuid AND known.path = m.up_path`,
);

/** Entries of a folder that are missing or of another kind among the entries in $3; links to them end as links do. */
const removing = (condition: string): string => `WITH RECURSIVE gone AS (
     SELECT n.id FROM node up JOIN node n ON n.parent_id = up.id
     WHERE ${FOLDER} AND ${condition}
     UNION ALL
     SELECT n.id FROM node n JOIN gone ON n.parent_id = gone.id
   ), ended_links AS (
     INSERT INTO link_of_deleted_node (token_hmac)
     SELECT s.token_hmac FROM share s JOIN gone ON s.node_id = gone.id WHERE s.share_type = ${SHARE_TYPES.link}
     ON CONFLICT DO NOTHING
   )
   DELETE FROM node WHERE id IN (SELECT id FROM gone) RETURNING id`;

export const REMOVE_OTHERS = statement<{ id: number }>(
  'remote_node.remove_others',
  removing(`NOT EXISTS (SELECT FROM ${RECORDS('$3')} WHERE e.name = n.name AND e.kind = n.kind)`),
);
export const REMOVE_CHANGED_KINDS = statement<{ id: number }>(
  'remote_node.remove_changed_kinds',
  removing(`EXISTS (SELECT FROM ${RECORDS('$3')} WHERE e.name = n.name AND e.kind <> n.kind)`),
);
export const REMOVE_NAMED = statement<{ id: number }>('remote_node.remove_named', removing('n.name = $3'));

/** Writes entries of a folder; rows that say the same already are left alone. $4: what new etags of folders are made from. */
export const PUT_ENTRIES = statement<{ id: number }>(
  'remote_node.put_entries',
  `INSERT INTO node AS n (storage_id, received_share_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag, partner_etag)
   SELECT up.storage_id, up.received_share_id, up.id, up.owner_uid, e.name, up.path || '/' || e.name, e.kind, e.mimetype, e.size,
     e.mtime, CASE e.kind WHEN 'folder' THEN md5($4 || e.name) ELSE e.etag END, e.etag
   FROM node up CROSS JOIN ${RECORDS('$3')}
   WHERE ${FOLDER}
   ON CONFLICT (parent_id, name) DO UPDATE SET mimetype = excluded.mimetype, size = excluded.size, mtime = excluded.mtime,
     etag = excluded.etag, partner_etag = excluded.partner_etag
   WHERE (n.mimetype, n.size, n.mtime, n.partner_etag)
     IS DISTINCT FROM (excluded.mimetype, excluded.size, excluded.mtime, excluded.partner_etag)
   RETURNING n.id`,
);

/** The root of storage $1. $6: what a new etag of a folder is. */
export const PUT_ROOT = statement<{ id: number }>(
  'remote_node.put_root',
  `UPDATE node n SET kind = $2, mimetype = $3, size = $4, mtime = $5, partner_etag = $7,
     etag = CASE $2::text WHEN 'folder' THEN $6 ELSE $7 END
   WHERE n.storage_id = $1 AND n.path_hash = md5('')::uuid AND n.path = ''
     AND (n.kind, n.mimetype, n.size, n.mtime, n.partner_etag)
       IS DISTINCT FROM ($2::text, $3::text, $4::bigint, $5::timestamptz, $7::text)
   RETURNING n.id`,
);

export const NOTE_LISTED = statement(
  'remote_node.note_listed',
  `UPDATE node up SET listed_at = now()
   WHERE ${FOLDER} AND (up.listed_at IS NULL OR up.listed_at < now() - interval '1 minute')`,
);

/** The folder and all above it get a new etag made from $3, and $4 bytes more. */
export const PROPAGATE = statement(
  'remote_node.propagate',
  `WITH RECURSIVE above AS (
     SELECT up.id, up.parent_id FROM node up WHERE ${FOLDER}
     UNION ALL
     SELECT n.id, n.parent_id FROM node n JOIN above ON n.id = above.parent_id
   )
   UPDATE node n SET etag = md5($3 || n.id), size = greatest(0, n.size + $4) FROM above WHERE n.id = above.id`,
);

/** The cached node of one path. */
export const AT_PATH = statement<NodeRow>(
  'remote_node.at_path',
  `SELECT ${nodeColumns('up')} FROM node up WHERE ${FOLDER}`,
);
