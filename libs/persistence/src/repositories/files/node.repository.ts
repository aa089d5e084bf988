import { createHash } from 'node:crypto';
import type { Queryable } from '../../database';
import { statement } from '../../statement';
import { MOUNTS } from './mount-sql';
import { FAVORITES } from './node-property.repository';
import { nodeColumns, type NodeRow } from './node-row';
import { IN_SHARED_NODE, IN_USER_TREE, toPlace, type Place } from './place-statements';

const CHILDREN = statement<NodeRow>(
  'node.children',
  `SELECT ${nodeColumns('n')} FROM node n WHERE n.parent_id = $1 ORDER BY n.name`,
);

const TAKEN_NAMES = statement<{ name: string }>(
  'node.taken_names',
  `SELECT name FROM node WHERE parent_id = $1 AND name = ANY($2::text[])`,
);

const SUBTREE = statement<NodeRow>(
  'node.subtree',
  `WITH RECURSIVE sub AS (
     SELECT n.* FROM node n WHERE n.id = $1
     UNION ALL
     SELECT n.* FROM node n JOIN sub ON n.parent_id = sub.id
   )
   SELECT ${nodeColumns('sub')} FROM (SELECT * FROM sub LIMIT $2) sub ORDER BY sub.path`,
);

/** Every node below one of the folders of `$1`, with the id of that folder, but for what `$3` and `$4` hide; alias `sub`. */
const BELOW_FOLDERS = `WITH RECURSIVE hidden AS (
     SELECT * FROM unnest($3::bigint[], $4::text[]) AS hidden(top, path)
   ), sub AS (
     SELECT n.*, n.parent_id AS top FROM node n
     WHERE n.parent_id = ANY($1::bigint[])
       AND NOT EXISTS (SELECT FROM hidden WHERE hidden.top = n.parent_id AND hidden.path = n.path)
     UNION ALL
     SELECT n.*, sub.top FROM node n JOIN sub ON n.parent_id = sub.id
     WHERE NOT EXISTS (SELECT FROM hidden WHERE hidden.top = sub.top AND hidden.path = n.path)
   )`;

const ALL_BELOW = statement<NodeBelow>(
  'node.all_below',
  `${BELOW_FOLDERS}
   SELECT sub.top, ${nodeColumns('sub')} FROM (SELECT * FROM sub LIMIT $2) sub ORDER BY sub.path`,
);

const NAMED_BELOW = statement<NodeBelow>(
  'node.named_below',
  `${BELOW_FOLDERS}
   SELECT sub.top, ${nodeColumns('sub')} FROM sub
   WHERE strpos(lower(sub.name), lower($5::text)) > 0 ORDER BY sub.path LIMIT $2`,
);

const FAVORITES_BELOW = statement<NodeBelow>(
  'node.favorites_below',
  `${BELOW_FOLDERS}
   SELECT sub.top, ${nodeColumns('sub')} FROM sub
   JOIN dead_property f ON f.node_id = sub.id AND f.namespace = '${FAVORITES}' AND f.name = $5
   ORDER BY sub.path LIMIT $2`,
);

const COUNT_SUBTREE = statement<{ nodes: number }>(
  'node.count_subtree',
  `WITH RECURSIVE sub AS (
     SELECT $1::bigint AS id
     UNION ALL
     SELECT n.id FROM node n JOIN sub ON n.parent_id = sub.id
   )
   SELECT count(*) AS nodes FROM sub`,
);

const MAKE_STORAGE = statement(
  'storage.make',
  `WITH made AS (
     INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account WHERE uid = $1 FOR KEY SHARE
     ON CONFLICT DO NOTHING RETURNING id, owner_uid
   )
   INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   SELECT id, owner_uid, '', '', 'folder', 'httpd/unix-directory', now(), md5(random()::text || id) FROM made`,
);

const STORAGE_OF = statement<{ id: number }>(
  'storage.of_user',
  `SELECT id FROM storage WHERE owner_uid = $1 AND received_share_id IS NULL`,
);

// A file that is shared several times stands in several places; the own storage comes first, then the shortest path.
const PATHS_IN_USER_TREE = statement<{ path: string }>(
  'node.paths_in_user_tree',
  `SELECT place.path FROM node n
   JOIN storage st ON st.id = n.storage_id
   CROSS JOIN LATERAL (
     SELECT n.path, true AS own WHERE st.owner_uid = $1 AND st.received_share_id IS NULL AND NOT starts_with(n.path, '~')
     UNION ALL
     SELECT m.target || substr(n.path, char_length(m.root_path) + 1), false FROM ${MOUNTS}
     WHERE m.uid = $1 AND m.storage_id = n.storage_id AND (n.path = m.root_path OR starts_with(n.path, m.root_path || '/'))
   ) AS place
   WHERE n.id = $2
   GROUP BY place.path, place.own
   ORDER BY place.own DESC, char_length(place.path), place.path
   LIMIT 10`,
);

/** A node, and the folder below which it was looked for. */
export interface NodeBelow extends NodeRow {
  readonly top: number;
}

/** Which nodes are looked for: all, those whose name has this part (regardless of case), or a user's favorites. */
export type NodeFilter =
  | { readonly by: 'nothing' }
  | { readonly by: 'name'; readonly part: string }
  | { readonly by: 'favorite'; readonly uid: string };

/** Reads the node tree. */
export class NodeRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Where `path` of the user's tree leads; the longest mount on the way decides.
   * @returns undefined while the user has no storage yet (see `makeStorage`)
   */
  async place(uid: string, path: string): Promise<Place | undefined> {
    const prefixes = prefixesOf(path);
    const values = [uid, path, prefixes.map(md5), prefixes, lastPartOf(path)];
    const [row] = await this.database.rows(IN_USER_TREE, values);
    return row && toPlace(row);
  }

  /**
   * Where `path` leads below the node of a link or federated share; a shared file is found at `''` and at its name.
   * @returns undefined when the share has ended, or who made it may not pass the node on any more
   */
  async placeInShare(shareId: number, path: string): Promise<Place | undefined> {
    const [row] = await this.database.rows(IN_SHARED_NODE, [shareId, path, lastPartOf(path)]);
    return row && toPlace(row);
  }

  /** Where a node stands in the user's tree: at most ten paths, the best first. A longer mount may hide one of them. */
  async pathsInUserTree(uid: string, nodeId: number): Promise<string[]> {
    return (await this.database.rows(PATHS_IN_USER_TREE, [uid, nodeId])).map((row) => row.path);
  }

  /** Those of `names` that entries of the folder have. */
  async takenNames(folderId: number, names: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.rows(TAKEN_NAMES, [folderId, names]);
    return new Set(rows.map((row) => row.name));
  }

  /** The direct children of a folder, by name. */
  children(folderId: number): Promise<NodeRow[]> {
    return this.database.rows(CHILDREN, [folderId]);
  }

  /**
   * A node and everything below it, parents before their children.
   * @param limit so many rows at most; a caller that gets as many does not know all
   */
  subtree(nodeId: number, limit: number): Promise<NodeRow[]> {
    return this.database.rows(SUBTREE, [nodeId, limit]);
  }

  /**
   * The nodes below several folders, at any depth, by path; one statement.
   * @param hidden paths of nodes that are left out with all below them, each with the folder for which this holds
   * @param limit so many rows at most
   */
  below(
    folderIds: readonly number[],
    hidden: readonly Pick<NodeBelow, 'top' | 'path'>[],
    filter: NodeFilter,
    limit: number,
  ): Promise<NodeBelow[]> {
    const where = [folderIds, limit, hidden.map(({ top }) => top), hidden.map(({ path }) => path)];
    switch (filter.by) {
      case 'nothing':
        return this.database.rows(ALL_BELOW, where);
      case 'name':
        return this.database.rows(NAMED_BELOW, [...where, filter.part]);
      case 'favorite':
        return this.database.rows(FAVORITES_BELOW, [...where, filter.uid]);
    }
  }

  /** How many nodes a node and all below it are. */
  async countSubtree(nodeId: number): Promise<number> {
    return (await this.database.rows(COUNT_SUBTREE, [nodeId]))[0]!.nodes;
  }

  /** The user's own storage; undefined while they have none. */
  async storageOf(uid: string): Promise<number | undefined> {
    return (await this.database.rows(STORAGE_OF, [uid]))[0]?.id;
  }

  /** Makes the user's storage with its root folder; does nothing where it exists or the account is gone. */
  async makeStorage(uid: string): Promise<void> {
    await this.database.rows(MAKE_STORAGE, [uid]);
  }
}

/** `/a/b` → `/b`; `''` of the root. */
function lastPartOf(path: string): string {
  return path.slice(Math.max(0, path.lastIndexOf('/')));
}

/** `/a/b` → `/a`, `/a/b`. */
function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1))
    prefixes.push(path.slice(0, end));
  if (path !== '') prefixes.push(path);
  return prefixes;
}

/** The hash that generated columns hold of a path, in a form that Postgres reads as uuid. */
export function md5(path: string): string {
  return createHash('md5').update(path).digest('hex');
}
