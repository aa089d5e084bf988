import {
  array,
  bool,
  int4,
  int8,
  nullable,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { COUNTING, isAround } from './lock-sql';

/** A lock with everything that clients see of it. */
const LOCK_ROW = {
  id: int8,
  token: uuid,
  storageId: int4,
  path: text,
  kind: textOf<'token' | 'user'>(),
  isExclusive: bool,
  isDeep: bool,
  uid: nullable(text),
  shareId: nullable(int8),
  /** Name of the account that made it. */
  displayName: nullable(text),
  ownerXml: nullable(text),
  timeoutSeconds: int4,
  createdAt: timestamptz,
  expiresAt: timestamptz,
};
export type LockRow = RowOf<typeof LOCK_ROW>;

const COLUMNS = `k.id, k.token, k.storage_id AS "storageId", kn.path, k.kind, k.is_exclusive AS "isExclusive", k.is_deep AS "isDeep", k.uid,
  k.share_id AS "shareId", a.display_name AS "displayName", k.owner_xml AS "ownerXml", k.timeout_seconds AS "timeoutSeconds",
  k.created_at AS "createdAt", k.expires_at AS "expiresAt"`;
const FROM = `JOIN node kn ON kn.id = k.node_id LEFT JOIN user_account a ON a.uid = k.uid`;

export const IN_STORAGES = statement({
  name: 'lock.in_storages',
  params: { storageIds: array(int4) },
  row: LOCK_ROW,
  sql: `SELECT ${COLUMNS} FROM node_lock k ${FROM} WHERE k.storage_id = ANY(:storageIds::integer[]) AND ${COUNTING} ORDER BY k.id`,
});

/** Also deletes the locks around the node that have ended: otherwise one of them would be valid again when its maker may write again. */
export const INSERT = statement({
  name: 'lock.insert',
  params: {
    token: uuid,
    nodeId: int8,
    kind: text,
    isExclusive: bool,
    isDeep: bool,
    uid: nullable(text),
    shareId: nullable(int8),
    ownerXml: nullable(text),
    timeoutSeconds: int4,
    valid: array(uuid),
  },
  row: LOCK_ROW,
  sql: `WITH n AS (SELECT id, storage_id, path FROM node WHERE id = :nodeId), ended AS (
     DELETE FROM node_lock k USING node kn, n
     WHERE k.storage_id = n.storage_id AND kn.id = k.node_id AND ${isAround('n.path')} AND k.token <> ALL (:valid::uuid[])
   ), k AS (
     INSERT INTO node_lock (token, node_id, storage_id, kind, is_exclusive, is_deep, uid, share_id, owner_xml, timeout_seconds, expires_at)
     SELECT :token, n.id, n.storage_id, :kind, :isExclusive, :isDeep, :uid, :shareId, :ownerXml, :timeoutSeconds::integer, now() + make_interval(secs => :timeoutSeconds::integer)
     FROM n RETURNING *
   )
   SELECT ${COLUMNS} FROM k ${FROM}`,
});

export const REFRESH = statement({
  name: 'lock.refresh',
  params: { tokens: array(uuid), timeoutSeconds: int4 },
  row: LOCK_ROW,
  sql: `WITH k AS (
     UPDATE node_lock SET timeout_seconds = :timeoutSeconds::integer, expires_at = now() + make_interval(secs => :timeoutSeconds::integer)
     WHERE token = ANY(:tokens::uuid[]) RETURNING *
   )
   SELECT ${COLUMNS} FROM k ${FROM} ORDER BY k.id`,
});

export const REMOVE = statement({
  name: 'lock.remove',
  params: { token: uuid },
  row: { id: int8 },
  sql: `DELETE FROM node_lock WHERE token = :token RETURNING id`,
});

/** Number of locks that have not ended: of their maker, in the storage, and on the node. */
export const COUNT = statement({
  name: 'lock.count',
  params: { uid: nullable(text), shareId: nullable(int8), nodeId: int8, storageId: int4 },
  row: { ofMaker: int8, ofNode: int8, ofStorage: int8 },
  sql: `SELECT
     (SELECT count(*) FROM node_lock WHERE (uid = :uid::text OR share_id = :shareId::bigint) AND expires_at > now()) AS "ofMaker",
     (SELECT count(*) FROM node_lock WHERE node_id = :nodeId AND expires_at > now()) AS "ofNode",
     (SELECT count(*) FROM node_lock WHERE storage_id = :storageId AND expires_at > now()) AS "ofStorage"`,
});

export const IS_IN_ANY = statement({
  name: 'lock.is_in_any_group',
  params: { uid: text, gids: array(text) },
  row: { gid: text },
  sql: `SELECT gid FROM group_member WHERE uid = :uid AND gid = ANY(:gids::text[]) LIMIT 1`,
});

export const REMOVE_EXPIRED = statement({
  name: 'lock.remove_expired',
  params: { limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM node_lock WHERE id = ANY (ARRAY(
     SELECT id FROM node_lock WHERE expires_at <= now() ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});
