import { FOLDER_MIMETYPE } from '#sharing';
import type { Queryable } from '../../database';
import { array, int4, int8, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';
import { MOUNTS } from './mount-sql';
import { FAVORITES } from './node-property.repository';
import { CHILD_ROW, childColumns, childOf, NODE_ROW, nodeColumns, type NodeRow } from './node-row';
import { lastPartOf } from './path-parts';
import {
  BARE_IN_USER_TREE,
  IN_SHARED_NODE,
  IN_USER_TREE,
  pathOfUser,
  ROOM_IN_USER_TREE,
  toBarePlace,
  toPlace,
  type BarePlace,
  type StoredPlace,
} from './place-statements';
import { joinEntriesOf, SUBTREE } from './subtree-sql';
import { toRoom, type Room } from './storage-room.repository';

const CHILDREN = statement({
  name: 'node.children',
  params: { folderId: int8, limit: nullable(int8) },
  row: CHILD_ROW,
  sql: `SELECT ${childColumns('n')} FROM node n WHERE n.parent_id = :folderId ORDER BY n.name LIMIT :limit`,
});

const CHILD_IDS = statement({
  name: 'node.child_ids',
  params: { folderId: int8 },
  row: { ids: array(int8) },
  sql: `SELECT coalesce(array_agg(id ORDER BY name), '{}') AS ids FROM node WHERE parent_id = :folderId`,
});

const CHILDREN_AMONG = statement({
  name: 'node.children_among',
  params: { folderId: int8, ids: array(int8) },
  row: CHILD_ROW,
  // Postgres would also look up all children of a folder that was filled after its last statistics, for each part of the list.
  sql: `SELECT ${childColumns('n')} FROM (SELECT * FROM node WHERE id = ANY(:ids::bigint[]) OFFSET 0) n
   WHERE n.parent_id = :folderId ORDER BY n.name`,
});

const TAKEN_NAMES = statement({
  name: 'node.taken_names',
  params: { folderId: int8, names: array(text) },
  row: { name: text },
  sql: `SELECT name FROM node WHERE parent_id = :folderId AND name = ANY(:names::text[])`,
});

const WHOLE_SUBTREE = statement({
  name: 'node.subtree',
  params: { nodeId: int8, limit: int8 },
  row: NODE_ROW,
  sql: `WITH RECURSIVE sub AS (
     SELECT n.* FROM node n WHERE n.id = :nodeId
     UNION ALL
     SELECT n.* FROM sub ${joinEntriesOf('sub.id')}
   )
   SELECT ${nodeColumns('sub')} FROM (SELECT * FROM sub LIMIT :limit) sub ORDER BY sub.path`,
});

/** Every node below one of `folderIds`, with the id of that folder. Hidden are the `paths` of `tops`; alias `sub`. */
const BELOW_FOLDERS = `WITH RECURSIVE hidden AS (
     SELECT * FROM unnest(:tops::bigint[], :paths::text[]) AS hidden(top, path)
   ), sub AS (
     SELECT n.*, n.parent_id AS top FROM node n
     WHERE n.parent_id = ANY(:folderIds::bigint[])
       AND NOT EXISTS (SELECT FROM hidden WHERE hidden.top = n.parent_id AND hidden.path = n.path)
     UNION ALL
     SELECT n.*, sub.top FROM sub ${joinEntriesOf('sub.id')}
     WHERE NOT EXISTS (SELECT FROM hidden WHERE hidden.top = sub.top AND hidden.path = n.path)
   )`;

/** A node, and the folder of the search that contains it. */
const NODE_BELOW = {
  ...NODE_ROW,
  top: int8,
};
export type NodeBelow = RowOf<typeof NODE_BELOW>;

const ALL_BELOW = statement({
  name: 'node.all_below',
  params: { folderIds: array(int8), limit: int8, tops: array(int8), paths: array(text) },
  row: NODE_BELOW,
  sql: `${BELOW_FOLDERS}
   SELECT sub.top, ${nodeColumns('sub')} FROM (SELECT * FROM sub LIMIT :limit) sub ORDER BY sub.path`,
});

const NAMED_BELOW = statement({
  name: 'node.named_below',
  params: { folderIds: array(int8), limit: int8, tops: array(int8), paths: array(text), part: text },
  row: NODE_BELOW,
  sql: `${BELOW_FOLDERS}
   SELECT sub.top, ${nodeColumns('sub')} FROM sub
   WHERE strpos(lower(sub.name), lower(:part::text)) > 0 ORDER BY sub.path LIMIT :limit`,
});

/** Begins with the few favourites of the user, rather than with everything below the folders. */
const FAVORITES_BELOW = statement({
  name: 'node.favorites_below',
  params: { folderIds: array(int8), limit: int8, tops: array(int8), paths: array(text), uid: text },
  row: NODE_BELOW,
  sql: `SELECT folder.id AS top, ${nodeColumns('n')} FROM dead_property f JOIN node n ON n.id = f.node_id
   JOIN node folder ON folder.id = ANY(:folderIds::bigint[]) AND folder.storage_id = n.storage_id AND starts_with(n.path, folder.path || '/')
   WHERE f.namespace = '${FAVORITES}' AND f.name = :uid AND NOT EXISTS (SELECT FROM unnest(:tops::bigint[], :paths::text[]) AS hidden(top, path)
     WHERE hidden.top = folder.id AND (n.path = hidden.path OR starts_with(n.path, hidden.path || '/')))
   ORDER BY n.path LIMIT :limit`,
});

const COUNT_SUBTREE = statement({
  name: 'node.count_subtree',
  params: { nodeId: int8 },
  row: { nodes: int8 },
  sql: `WITH RECURSIVE ${SUBTREE} SELECT count(*) AS nodes FROM sub`,
});

const MAKE_STORAGE = statement({
  name: 'storage.make',
  params: { uid: text },
  sql: `WITH made AS (
     INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account WHERE uid = :uid FOR KEY SHARE
     ON CONFLICT DO NOTHING RETURNING id, owner_uid
   )
   INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   SELECT id, owner_uid, '', '', 'folder', '${FOLDER_MIMETYPE}', now(), md5(random()::text || id) FROM made`,
});

const STORAGE_OF = statement({
  name: 'storage.of_user',
  isShortRead: true,
  params: { uid: text },
  row: { id: int4 },
  sql: `SELECT id FROM storage WHERE owner_uid = :uid AND received_share_id IS NULL`,
});

// A file that is shared several times has several paths. The own storage comes first, then the shortest path.
const PATHS_IN_USER_TREE = statement({
  name: 'node.paths_in_user_tree',
  params: { uid: text, nodeId: int8 },
  row: { path: text },
  sql: `SELECT place.path FROM node n
   JOIN storage st ON st.id = n.storage_id
   CROSS JOIN LATERAL (
     SELECT n.path, true AS own WHERE st.owner_uid = :uid AND st.received_share_id IS NULL AND NOT starts_with(n.path, '~')
     UNION ALL
     SELECT m.target || substr(n.path, char_length(m.root_path) + 1), false FROM ${MOUNTS}
     WHERE m.uid = :uid AND m.storage_id = n.storage_id AND (n.path = m.root_path OR starts_with(n.path, m.root_path || '/'))
   ) AS place
   WHERE n.id = :nodeId
   GROUP BY place.path, place.own
   ORDER BY place.own DESC, char_length(place.path), place.path
   LIMIT 10`,
});

/** Selects nodes: all, those with this text in their name (regardless of case), or a user's favorites. */
export type NodeFilter =
  | { readonly by: 'nothing' }
  | { readonly by: 'name'; readonly part: string }
  | { readonly by: 'favorite'; readonly uid: string };

/** Reads the node tree. */
export class NodeRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * The place of `path` in the user's tree; the longest mount on the way decides.
   * @returns undefined while the user has no storage (see `makeStorage`)
   */
  async place(uid: string, path: string): Promise<StoredPlace | undefined> {
    const values = { ...pathOfUser(uid, path), lastPart: lastPartOf(path) };
    const [row] = await this.database.rows(IN_USER_TREE, values);
    return row && toPlace(row);
  }

  /** The same without the folder above it and locks. */
  async barePlace(uid: string, path: string): Promise<BarePlace | undefined> {
    const [row] = await this.database.rows(BARE_IN_USER_TREE, pathOfUser(uid, path));
    return row && toBarePlace(row);
  }

  /** The same as `place`, with the room of its storage; see `StorageRoomRepository.room`. */
  async placeAndRoom(
    uid: string,
    path: string,
    defaultMaxNodes: number,
    uploadId?: number,
  ): Promise<{ readonly place: StoredPlace; readonly room: Room } | undefined> {
    const wanted = { ...pathOfUser(uid, path), lastPart: lastPartOf(path) };
    const values = { ...wanted, defaultMaxNodes, uploadId: uploadId ?? null };
    const [row] = await this.database.rows(ROOM_IN_USER_TREE, values);
    return row && { place: toPlace(row), room: toRoom(row) };
  }

  /**
   * The place of `path` below the node of a link or federated share. A shared file is found at `''` and at its name.
   * @returns undefined if the share has ended, or its maker may not pass the node on any more
   */
  async placeInShare(shareId: number, path: string): Promise<StoredPlace | undefined> {
    const [row] = await this.database.rows(IN_SHARED_NODE, { shareId, path, lastPart: lastPartOf(path) });
    return row && toPlace(row);
  }

  /** Places of a node in the user's tree: at most ten paths, the best first. A longer mount may hide one of them. */
  async pathsInUserTree(uid: string, nodeId: number): Promise<string[]> {
    return (await this.database.rows(PATHS_IN_USER_TREE, { uid, nodeId })).map((row) => row.path);
  }

  /** Names of this list that the folder already has. */
  async takenNames(folderId: number, names: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.rows(TAKEN_NAMES, { folderId, names });
    return new Set(rows.map((row) => row.name));
  }

  /** The direct children of a folder, by name. @param limit maximum number */
  async children(folder: NodeRow, limit: number | null = null): Promise<NodeRow[]> {
    const rows = await this.database.rows(CHILDREN, { folderId: folder.id, limit });
    return rows.map((row) => childOf(folder, row));
  }

  /** Ids of the direct children of a folder, by name. */
  async childIds(folderId: number): Promise<number[]> {
    return (await this.database.rows(CHILD_IDS, { folderId }))[0]!.ids;
  }

  /** Nodes of this list that are direct children of a folder, by name. */
  async childrenAmong(folder: NodeRow, ids: readonly number[]): Promise<NodeRow[]> {
    const rows = await this.database.rows(CHILDREN_AMONG, { folderId: folder.id, ids });
    return rows.map((row) => childOf(folder, row));
  }

  /**
   * A node and everything below it, parents before their children.
   * @param limit maximum number of rows; a caller that gets this number does not have all
   */
  subtree(nodeId: number, limit: number): Promise<NodeRow[]> {
    return this.database.rows(WHOLE_SUBTREE, { nodeId, limit });
  }

  /**
   * The nodes below several folders, at any depth, by path; one statement.
   * @param hidden paths that are left out with everything below them, each for one folder
   * @param limit maximum number of rows
   */
  below(
    folderIds: readonly number[],
    hidden: readonly Pick<NodeBelow, 'top' | 'path'>[],
    filter: NodeFilter,
    limit: number,
  ): Promise<NodeBelow[]> {
    switch (filter.by) {
      case 'nothing':
        return this.database.rows(ALL_BELOW, {
          folderIds,
          limit,
          tops: hidden.map(({ top }) => top),
          paths: hidden.map(({ path }) => path),
        });
      case 'name':
        return this.database.rows(NAMED_BELOW, {
          folderIds,
          limit,
          tops: hidden.map(({ top }) => top),
          paths: hidden.map(({ path }) => path),
          part: filter.part,
        });
      case 'favorite':
        return this.database.rows(FAVORITES_BELOW, {
          folderIds,
          limit,
          tops: hidden.map(({ top }) => top),
          paths: hidden.map(({ path }) => path),
          uid: filter.uid,
        });
    }
  }

  /** Number of nodes in a subtree, including its root. */
  async countSubtree(nodeId: number): Promise<number> {
    return (await this.database.rows(COUNT_SUBTREE, { nodeId }))[0]!.nodes;
  }

  /** The user's own storage; undefined if they have none yet. */
  async storageOf(uid: string): Promise<number | undefined> {
    return (await this.database.rows(STORAGE_OF, { uid }))[0]?.id;
  }

  /** Makes the user's storage with its root folder. Does nothing if it exists or the account is gone. */
  async makeStorage(uid: string): Promise<void> {
    await this.database.rows(MAKE_STORAGE, { uid });
  }
}

/** `/a/b` → `/b`; `''` of the root. */
