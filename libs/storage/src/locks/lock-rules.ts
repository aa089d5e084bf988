import type { PlaceLock } from '#persistence';
import { isAtOrBelow, parentOf, ROOT, type NodePath } from '../tree/node-path';

/** The one who changes or locks something: an account or whoever comes through a share, and the lock tokens they submitted. */
export interface LockKeys {
  readonly maker: { readonly uid: string } | { readonly shareId: number };
  /** Uuids. */
  readonly tokens: readonly string[];
}

/**
 * A change of a place: `content`, or properties, of what stands there; a `new` entry there; the `removal` of what stands there with
 * all below it.
 */
export type LockedChange = 'content' | 'new' | 'removal';

/** Whether somebody made a lock. A token alone opens nothing to anybody else (RFC 4918, section 6.4). */
export function isMadeBy(lock: PlaceLock, { maker }: Pick<LockKeys, 'maker'>): boolean {
  return 'uid' in maker ? lock.uid === maker.uid : lock.shareId === maker.shareId;
}

function isOpen(lock: PlaceLock, keys: LockKeys): boolean {
  return isMadeBy(lock, keys) && (lock.kind === 'user' || keys.tokens.includes(lock.token));
}

/** Whether a lock holds for what stands, or would stand, at a path of its storage. */
export function covers(lock: PlaceLock, path: string): boolean {
  return lock.path === path || (lock.isDeep && isAtOrBelow(path, lock.path));
}

/** The locks that forbid a change of `path`, out of those around it. */
export function locksInTheWay(
  locks: readonly PlaceLock[],
  path: string,
  change: LockedChange,
  keys: LockKeys,
): PlaceLock[] {
  if (locks.length === 0) return [];
  const shut = resourcesOf(locks, path, change).flatMap((resource) =>
    shutAt(
      locks.filter((lock) => covers(lock, resource)),
      keys,
    ),
  );
  return [...new Set(shut)];
}

/** The resources whose locks a change meets: adding or removing an entry changes the folder around it, too. */
function resourcesOf(locks: readonly PlaceLock[], path: string, change: LockedChange): string[] {
  const folder = path === ROOT ? [] : [parentOf(path as NodePath)];
  if (change === 'content') return [path];
  if (change === 'new') return folder;
  const below = locks.filter((lock) => lock.path !== path && isAtOrBelow(lock.path, path));
  return [path, ...folder, ...new Set(below.map((lock) => lock.path))];
}

/** Each exclusive lock has to be opened, and one of those that are shared. */
function shutAt(locks: readonly PlaceLock[], keys: LockKeys): PlaceLock[] {
  const shut = locks.filter((lock) => !isOpen(lock, keys));
  const sharesOne = locks.some((lock) => !lock.isExclusive && isOpen(lock, keys));
  return sharesOne ? shut.filter((lock) => lock.isExclusive) : shut;
}

/** The locks beside which a new one cannot be: shared ones exist together, and an exclusive one with none. */
export function conflictingLocks(
  locks: readonly PlaceLock[],
  path: string,
  wanted: { readonly isExclusive: boolean; readonly isDeep: boolean },
): PlaceLock[] {
  return locks.filter((lock) => {
    const meets = covers(lock, path) || (wanted.isDeep && isAtOrBelow(lock.path, path));
    return meets && (lock.isExclusive || wanted.isExclusive);
  });
}
