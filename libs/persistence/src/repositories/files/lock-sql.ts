import { UPDATE } from '#sharing';
import { aliveAs } from '../shares/share-row';

/**
 * Whether a lock is valid: it has not ended, and its maker may still write the locked node. Aliases: `k` lock, `kn` its
 * node.
 */
export const COUNTING = `k.expires_at > now() AND CASE
    WHEN k.share_id IS NOT NULL THEN EXISTS (SELECT FROM share ks WHERE ks.id = k.share_id AND (ks.permissions & ${UPDATE}) > 0 AND ${aliveAs('ks')})
    ELSE k.uid = kn.owner_uid OR may_write_by_mount(k.uid, k.storage_id, kn.path)
  END`;

/** A lock on the way to a place, or below it. */
export interface PlaceLock {
  /** A uuid. */
  readonly token: string;
  /** Path of the locked node, in its storage. */
  readonly path: string;
  readonly kind: 'token' | 'user';
  readonly isExclusive: boolean;
  readonly isDeep: boolean;
  /** Account that made it; null if it was made through a share. */
  readonly uid: string | null;
  readonly shareId: number | null;
}

/** Whether a locked node lies above, at or below a path of its storage. Alias: `kn` the node. */
export const isAround = (path: string): string =>
  `(kn.path = ${path} OR starts_with(${path}, kn.path || '/') OR starts_with(kn.path, ${path} || '/'))`;

/** All locks of a storage above, at or below a path, as `PlaceLock[]`; NULL for none. */
export function locksAround(storageId: string, path: string): string {
  return `(SELECT json_agg(json_build_object('token', k.token, 'path', kn.path, 'kind', k.kind, 'isExclusive', k.is_exclusive,
       'isDeep', k.is_deep, 'uid', k.uid, 'shareId', k.share_id) ORDER BY k.id)
     FROM node_lock k JOIN node kn ON kn.id = k.node_id
     WHERE k.storage_id = ${storageId} AND ${isAround(path)} AND ${COUNTING})`;
}
