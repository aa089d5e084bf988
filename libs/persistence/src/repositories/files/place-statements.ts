import { SHARE_TYPES, conditionsOf, type Grants, type ShareChain } from '#sharing';
import {
  array,
  bool,
  int4,
  int8,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  uuid,
} from '../../postgres-types';
import { statement } from '../../statement';
import { locksAround, type PlaceLock } from './lock-sql';
import { ANYTHING_TO_PLACE, GRANTS, MOUNTS, PATHS_OF_MOUNTS } from './mount-sql';
import { NODE_ROW, nodeColumns, type NodeRow } from './node-row';
import { md5, prefixesOf } from './path-parts';
import { ROOM_ROW, roomOf } from './room-sql';
import { COVERS_TOP, STILL_PASSED_ON } from '../shares/passed-on-sql';
import { aliveAs } from '../shares/share-row';

/**
 * Target of a path in a tree. In a user's tree it is a node of their own storage or, through a mount, a node of another owner
 * or the cached node of a partner. In a tree whose root is one shared node, it is always reached through that share.
 */
export interface StoredPlace {
  readonly storageId: number;
  /** The share through which a partner shares the storage; null for local content. */
  readonly receivedShareId: number | null;
  /** Path in the storage of its owner. */
  readonly storagePath: string;
  readonly ownerUid: string;
  readonly ownerDisplayName: string;
  /** The shares through which the place is reached. */
  readonly chain: ShareChain;
  /** Path of the share's node in this tree; null in the own storage. */
  readonly mountTarget: string | null;
  /** The node at this place; null when there is none. */
  readonly node: NodeRow | null;
  /** The folder above it in the same storage; null for the root, and if that folder is missing. */
  readonly parent: { readonly id: number; readonly kind: 'file' | 'folder' } | null;
  /** Digest of the mounts below a folder of the own storage; null if there are none. */
  readonly mountDigest: string | null;
  /** Valid locks above, at and below it, in its storage. */
  readonly locks: readonly PlaceLock[];
  /** Whether the user of the tree has accepted shares without a place: then the path may get another target. */
  readonly isUnsettled: boolean;
}

/** A place without its surroundings: the folder above it, and locks. */
export const BARE_PLACE_ROW = {
  ...NODE_ROW,
  /** null when there is no node; then the other columns of the node are null, too. */
  id: nullable(int8),
  storagePath: text,
  ownerDisplayName: text,
  mountTarget: nullable(text),
  mountDigest: nullable(text),
  /** null in the own storage. */
  grants: nullable(json<Grants>()),
  /** The grants through which the maker of a link or federated share received the node; null if they own it. */
  received: nullable(json<Grants>()),
  /** The share that a federated share follows: the public link from which it was saved, or a share with a group; null for none. */
  followed: nullable(json<Grants>()),
  placeStorageId: int4,
  placeReceivedShareId: nullable(int8),
  placeOwnerUid: text,
  isUnsettled: bool,
};

const PLACE_ROW = {
  ...BARE_PLACE_ROW,
  upId: nullable(int8),
  upKind: nullable(textOf<'file' | 'folder'>()),
  /** null for none. */
  locks: nullable(json<PlaceLock[]>()),
};
export type PlaceRow = RowOf<typeof PLACE_ROW>;

/** Parameters of a statement about a path of a user. */
export const PATH_OF_USER = { uid: text, path: text, prefixes: array(uuid), targets: array(text) };
const PATH_AND_PARENT = {
  uid: text,
  path: text,
  prefixes: array(uuid),
  targets: array(text),
  lastPart: text,
};

/** A place without its surroundings. */
export type BarePlace = Omit<StoredPlace, 'locks' | 'parent'>;

/** Values of PATH_OF_USER. */
export function pathOfUser(uid: string, path: string) {
  const prefixes = prefixesOf(path);
  return { uid, path, prefixes: prefixes.map(md5), targets: prefixes };
}

/** Two queries of a WITH clause: the mount of a path of a user, and the place that it leads to. */
const PLACE_OF_USER = `mount AS (
     SELECT m.* FROM (SELECT ${PATHS_OF_MOUNTS} AS hashes OFFSET 0) at CROSS JOIN LATERAL mount_at(:uid, at.hashes, :targets::text[]) m
     WHERE cardinality(at.hashes) > 0
   ), place AS (
     SELECT storage_id, root_path || substr(:path, char_length(target) + 1) AS path, grants, target FROM mount
     UNION ALL
     SELECT st.id, :path, NULL, NULL FROM storage st WHERE st.owner_uid = :uid AND st.received_share_id IS NULL AND NOT EXISTS (SELECT FROM mount)
   )`;

const FROM_PLACE = `FROM place p
   JOIN storage st ON st.id = p.storage_id
   JOIN user_account a ON a.uid = st.owner_uid
   LEFT JOIN node n ON n.storage_id = p.storage_id AND n.path_hash = md5(p.path)::uuid AND n.path = p.path`;

/** Columns of a place and its node, except for those about its surroundings. */
const PLACE_COLUMNS = `p.storage_id AS "placeStorageId", st.received_share_id AS "placeReceivedShareId", p.path AS "storagePath",
     st.owner_uid AS "placeOwnerUid", a.display_name AS "ownerDisplayName", p.grants, NULL::json AS received, NULL::json AS followed, p.target AS "mountTarget",
     CASE WHEN p.target IS NULL AND n.kind = 'folder' THEN mount_digest_below(:uid, :path) END AS "mountDigest",
     ${ANYTHING_TO_PLACE} AS "isUnsettled", ${nodeColumns('n')}`;

const inUserTree = (columns = '', joined = ''): string => `WITH ${PLACE_OF_USER}
   SELECT up.id AS "upId", up.kind AS "upKind", ${locksAround('p.storage_id', 'p.path')} AS locks, ${columns}${PLACE_COLUMNS}
   ${FROM_PLACE}
   LEFT JOIN node up ON :path <> '' AND p.target IS DISTINCT FROM :path AND up.storage_id = p.storage_id
     AND up.path_hash = md5(left(p.path, -char_length(:lastPart::text)))::uuid AND up.path = left(p.path, -char_length(:lastPart::text))
   ${joined}`;

const BARE_PLACE = `SELECT ${PLACE_COLUMNS} ${FROM_PLACE}`;

/**
 * For statements that do more with a path of a user: queries of a WITH clause, of which `found` has the columns of
 * BARE_PLACE_ROW.
 */
export const FOUND_PLACE = `${PLACE_OF_USER}, found AS MATERIALIZED (
     ${BARE_PLACE}
   )`;

/** Without the surroundings, which reads do not need. */
export const BARE_IN_USER_TREE = statement({
  name: 'node.bare_place',
  isShortRead: true,
  params: PATH_OF_USER,
  row: BARE_PLACE_ROW,
  sql: `WITH ${PLACE_OF_USER} ${BARE_PLACE}`,
});

export const IN_USER_TREE = statement({
  name: 'node.place',
  isShortRead: true,
  params: PATH_AND_PARENT,
  row: PLACE_ROW,
  sql: inUserTree(),
});

/** The same with the room of the storage. */
export const ROOM_IN_USER_TREE = statement({
  name: 'node.place_and_room',
  isShortRead: true,
  params: { ...PATH_AND_PARENT, defaultMaxNodes: int8, uploadId: nullable(int8) },
  row: { ...PLACE_ROW, ...ROOM_ROW },
  sql: inUserTree('room.*, ', `JOIN LATERAL (${roomOf('p.storage_id')}) room ON true`),
});

// The caller checks before whether the partner is admitted, since "not at the moment" must not look like "gone" to partners.
export const IN_SHARED_NODE = statement({
  name: 'node.place_in_share',
  isShortRead: true,
  params: { shareId: int8, path: text, lastPart: text },
  row: PLACE_ROW,
  sql: `SELECT top.storage_id AS "placeStorageId", top.received_share_id AS "placeReceivedShareId", p.path AS "storagePath", top.owner_uid AS "placeOwnerUid",
     a.display_name AS "ownerDisplayName", json_build_array(json_build_object('permissions', l.permissions, 'attributes', l.attributes)) AS grants,
     CASE WHEN top.received_share_id IS NOT NULL THEN (SELECT ${GRANTS} FROM ${MOUNTS} WHERE m.uid = l.initiator_uid AND ${COVERS_TOP})
       WHEN l.initiator_uid <> top.owner_uid THEN held_grants(l.initiator_uid, top.storage_id, top.path) END AS received,
     (SELECT json_build_array(json_build_object('permissions', k.permissions, 'attributes', k.attributes)) FROM share k WHERE k.id = coalesce(l.link_id, l.group_share_id)) AS followed,
     CASE WHEN p.path = top.path THEN :path ELSE '' END AS "mountTarget",
     up.id AS "upId", up.kind AS "upKind", NULL AS "mountDigest", false AS "isUnsettled",
     ${locksAround('top.storage_id', 'p.path')} AS locks, ${nodeColumns('n')}
   FROM share l
   JOIN node top ON top.id = l.node_id
   JOIN user_account a ON a.uid = top.owner_uid
   CROSS JOIN LATERAL (
     SELECT CASE WHEN top.kind = 'file' AND :path = '/' || top.name THEN top.path ELSE top.path || :path END AS path
   ) p
   LEFT JOIN node n ON n.storage_id = top.storage_id AND n.path_hash = md5(p.path)::uuid AND n.path = p.path
   LEFT JOIN node up ON p.path <> top.path AND up.storage_id = top.storage_id
     AND up.path_hash = md5(left(p.path, -char_length(:lastPart::text)))::uuid AND up.path = left(p.path, -char_length(:lastPart::text))
   WHERE l.id = :shareId AND (l.share_type = ${SHARE_TYPES.link} AND ${STILL_PASSED_ON} OR l.share_type = ${SHARE_TYPES.federated} AND ${aliveAs('l')})`,
});

type BarePlaceRow = RowOf<typeof BARE_PLACE_ROW>;

const isNode = (row: BarePlaceRow): row is BarePlaceRow & NodeRow => row.id !== null;

export function toPlace(row: PlaceRow): StoredPlace {
  const { upId, upKind } = row;
  return {
    ...toBarePlace(row),
    locks: row.locks ?? [],
    parent: upId === null || upKind === null ? null : { id: upId, kind: upKind },
  };
}

export function toBarePlace(row: BarePlaceRow): BarePlace {
  const { grants, received, followed } = row;
  return {
    storageId: row.placeStorageId,
    receivedShareId: row.placeReceivedShareId,
    storagePath: row.storagePath,
    ownerUid: row.placeOwnerUid,
    ownerDisplayName: row.ownerDisplayName,
    chain: grants === null ? 'own' : [...conditionsOf(received), ...conditionsOf(followed), grants],
    mountTarget: row.mountTarget,
    mountDigest: row.mountDigest,
    isUnsettled: row.isUnsettled,
    node: isNode(row) ? row : null,
  };
}
