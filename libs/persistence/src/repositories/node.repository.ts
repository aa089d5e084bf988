import { createHash } from 'node:crypto';
import type { Queryable } from '../database';
import { statement } from '../statement';
import { LIVE_MOUNT, MOUNT_DIGEST, MOUNT_TABLES } from './mount-sql';
import { nodeColumns, type NodeRow } from './node-row';

/** Where a path of a user's tree leads: into his own storage, or through a mount into somebody else's. */
export interface Place {
  readonly storageId: number;
  /** The path in the storage of its owner. */
  readonly storagePath: string;
  readonly ownerUid: string;
  readonly ownerDisplayName: string;
  /** Share permissions: 31 in the own storage, otherwise those of all shares behind the mount together. */
  readonly permissions: number;
  /** Path of the mount in the user's tree; null in the own storage. */
  readonly mountTarget: string | null;
  /** What stands there; null when nothing does. */
  readonly node: NodeRow | null;
  /** The folder above it in the same storage; null for the root, and where that folder is missing. */
  readonly parent: { readonly id: number; readonly kind: 'file' | 'folder' } | null;
  /** Digest of the mounts below a folder of the own storage; null where there are none. */
  readonly mountDigest: string | null;
}

type PlaceRow = Omit<Place, 'node' | 'parent' | 'storageId' | 'ownerUid'> &
  (NodeRow | { id: null }) & {
    readonly placeStorageId: number;
    readonly placeOwnerUid: string;
    readonly upId: number | null;
    readonly upKind: 'file' | 'folder' | null;
  };

const PLACE = statement<PlaceRow>(
  'node.place',
  `WITH mount AS (
     SELECT r.file_target AS target, root.storage_id, root.path AS root_path, bit_or(s.permissions)::integer AS permissions
     FROM ${MOUNT_TABLES}
     WHERE r.uid = $1 AND r.target_hash = ANY($3::uuid[]) AND r.file_target = ANY($4::text[]) AND ${LIVE_MOUNT}
     GROUP BY r.file_target, root.id
     ORDER BY char_length(r.file_target) DESC, root.id
     LIMIT 1
   ), place AS (
     SELECT storage_id, root_path || substr($2, char_length(target) + 1) AS path, permissions, target FROM mount
     UNION ALL
     SELECT st.id, $2, 31, NULL FROM storage st WHERE st.owner_uid = $1 AND NOT EXISTS (SELECT FROM mount)
   )
   SELECT p.storage_id AS "placeStorageId", p.path AS "storagePath", st.owner_uid AS "placeOwnerUid",
     a.display_name AS "ownerDisplayName", p.permissions, p.target AS "mountTarget",
     up.id AS "upId", up.kind AS "upKind",
     CASE WHEN p.target IS NULL AND n.kind = 'folder' THEN (
       SELECT ${MOUNT_DIGEST} FROM ${MOUNT_TABLES}
       WHERE r.uid = $1 AND starts_with(r.file_target, $2 || '/') AND ${LIVE_MOUNT}
     ) END AS "mountDigest",
     ${nodeColumns('n')}
   FROM place p
   JOIN storage st ON st.id = p.storage_id
   JOIN user_account a ON a.uid = st.owner_uid
   LEFT JOIN node n ON n.storage_id = p.storage_id AND n.path_hash = md5(p.path)::uuid AND n.path = p.path
   LEFT JOIN node up ON $2 <> '' AND p.target IS DISTINCT FROM $2 AND up.storage_id = p.storage_id
     AND up.path_hash = md5(left(p.path, -char_length($5::text)))::uuid AND up.path = left(p.path, -char_length($5::text))`,
);

const CHILDREN = statement<NodeRow>(
  'node.children',
  `SELECT ${nodeColumns('n')} FROM node n WHERE n.parent_id = $1 ORDER BY n.name`,
);

const SUBTREE = statement<NodeRow>(
  'node.subtree',
  `WITH RECURSIVE sub AS (
     SELECT n.* FROM node n WHERE n.id = $1
     UNION ALL
     SELECT n.* FROM node n JOIN sub ON n.parent_id = sub.id
   )
   SELECT ${nodeColumns('sub')} FROM sub ORDER BY sub.path`,
);

const MAKE_STORAGE = statement(
  'storage.make',
  `WITH made AS (
     INSERT INTO storage (key, owner_uid) SELECT 'home::' || uid, uid FROM user_account WHERE uid = $1
     ON CONFLICT DO NOTHING RETURNING id, owner_uid
   )
   INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
   SELECT id, owner_uid, '', '', 'folder', 'httpd/unix-directory', now(), md5(random()::text || id) FROM made`,
);

const STORAGE_OF = statement<{ id: number }>(
  'storage.of_user',
  `SELECT id FROM storage WHERE owner_uid = $1`,
);

/** Reads the node tree. */
export class NodeRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Where `path` of the user's tree leads; the longest mount on the way decides.
   * @returns undefined while the user has no storage yet (see `makeStorage`)
   */
  async place(uid: string, path: string): Promise<Place | undefined> {
    const prefixes = prefixesOf(path);
    const lastPart = path.slice(Math.max(0, path.lastIndexOf('/')));
    const [row] = await this.database.rows(PLACE, [uid, path, prefixes.map(md5), prefixes, lastPart]);
    return row && toPlace(row);
  }

  /** The direct children of a folder, by name. */
  children(folderId: number): Promise<NodeRow[]> {
    return this.database.rows(CHILDREN, [folderId]);
  }

  /** A node and everything below it, parents before their children. */
  subtree(nodeId: number): Promise<NodeRow[]> {
    return this.database.rows(SUBTREE, [nodeId]);
  }

  /** The user's own storage; undefined while he has none. */
  async storageOf(uid: string): Promise<number | undefined> {
    return (await this.database.rows(STORAGE_OF, [uid]))[0]?.id;
  }

  /** Makes the user's storage with its root folder; does nothing where it exists. */
  async makeStorage(uid: string): Promise<void> {
    await this.database.rows(MAKE_STORAGE, [uid]);
  }
}

function toPlace(row: PlaceRow): Place {
  const {
    placeStorageId,
    placeOwnerUid,
    storagePath,
    ownerDisplayName,
    permissions,
    mountTarget,
    mountDigest,
  } = row;
  const { upId, upKind } = row;
  return {
    storageId: placeStorageId,
    storagePath,
    ownerUid: placeOwnerUid,
    ownerDisplayName,
    permissions,
    mountTarget,
    mountDigest,
    node: row.id === null ? null : row,
    parent: upId === null || upKind === null ? null : { id: upId, kind: upKind },
  };
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
