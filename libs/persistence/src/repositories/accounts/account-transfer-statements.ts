import type { NodeKind } from '#sharing';
import { int4, int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { inSubtree, SUBTREE } from '../files/subtree-sql';

export const HOME_ROOT = statement({
  name: 'account_transfer.home_root',
  params: { storageId: int4 },
  row: { id: int8 },
  sql: `SELECT id FROM node WHERE storage_id = :storageId AND parent_id IS NULL AND path = ''`,
});

const ENTRY = {
  id: int8,
  parentId: nullable(int8),
  kind: textOf<NodeKind>(),
  name: text,
  path: text,
  mimetype: text,
  size: int8,
};
export type Entry = RowOf<typeof ENTRY>;
const ENTRY_COLUMNS = 'id, parent_id AS "parentId", kind, name, path, mimetype, size';

export const NEXT_ENTRY = statement({
  name: 'account_transfer.next_entry',
  params: { folderId: int8 },
  row: ENTRY,
  sql: `SELECT ${ENTRY_COLUMNS} FROM node WHERE parent_id = :folderId ORDER BY name LIMIT 1`,
});

/** The upper end, among paths of more than `keptBytes`, of a branch below `path` with a path of more than `maxBytes`. */
export const LONG_BRANCH = statement({
  name: 'account_transfer.long_branch',
  params: { storageId: int4, path: text, maxBytes: int4, keptBytes: int4 },
  row: ENTRY,
  sql: `WITH RECURSIVE up AS (
     (SELECT id, parent_id, path FROM node
      WHERE storage_id = :storageId AND starts_with(path, :path || '/') AND octet_length(path) > :maxBytes LIMIT 1)
     UNION ALL
     SELECT n.id, n.parent_id, n.path FROM node n JOIN up ON n.id = up.parent_id WHERE octet_length(n.path) > :keptBytes
   )
   SELECT ${ENTRY_COLUMNS} FROM node WHERE id = (SELECT id FROM up ORDER BY octet_length(path) LIMIT 1)`,
});

/** The folder of the transfer, unless its owner removed it, or moved it to a path of more than `maxBytes`. */
export const FOLDER = statement({
  name: 'account_transfer.folder',
  params: { folderId: int8, storageId: int4, maxBytes: int4 },
  row: { id: int8, path: text },
  sql: `SELECT id, path FROM node WHERE id = :folderId AND storage_id = :storageId AND NOT starts_with(path, '~')
     AND octet_length(path) <= :maxBytes`,
});

export const NOTE_FOLDER = statement({
  name: 'account_transfer.note_folder',
  params: { uid: text, folderId: nullable(int8) },
  sql: 'UPDATE account_end SET folder_id = :folderId WHERE uid = :uid',
});

/** Shares that the former owner made of moved nodes belong to the new one; partners see no change in them. */
export const INITIATE = statement({
  name: 'account_transfer.initiate',
  params: { nodeId: int8, fromUid: text, toUid: text },
  sql: `WITH RECURSIVE ${SUBTREE}, offers AS (
     UPDATE trashed_offer SET initiator_uid = :toUid WHERE initiator_uid = :fromUid AND ${inSubtree('node_id')}
   )
   UPDATE share SET initiator_uid = :toUid WHERE initiator_uid = :fromUid AND ${inSubtree('node_id')}`,
});
