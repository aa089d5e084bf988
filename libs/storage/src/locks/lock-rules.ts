import type { PlaceLock } from '#persistence';
import { isAtOrBelow, parentOf, ROOT, type NodePath } from '../tree/node-path';

/** The person who changes or locks something: an account or the visitor of a share, with the lock tokens that they sent. */
export interface LockKeys {
  readonly maker: { readonly uid: string } | { readonly shareId: number };
  /** Uuids. */
  readonly tokens: readonly string[];
}

/**
 * A change at a place: `content` or properties of a node, a `new` entry, or the `removal` of a node with
 * everything below it.
 */
export type LockedChange = 'content' | 'new' | 'removal';

/** Whether a person made a lock. A token alone opens nothing for anybody else (RFC 4918, section 6.4). */
export function isMadeBy(lock: PlaceLock, { maker }: Pick<LockKeys, 'maker'>): boolean {
  return 'uid' in maker ? lock.uid === maker.uid : lock.shareId === maker.shareId;
}

function isOpen(lock: PlaceLock, keys: LockKeys): boolean {
  return isMadeBy(lock, keys) && (lock.kind === 'user' || keys.tokens.includes(lock.token));
}

/** Whether a lock covers a path of its storage, with or without a node. */
export function covers(lock: PlaceLock, path: string): boolean {
  return lock.path === path || (lock.isDeep && isAtOrBelow(path, lock.path));
}

/** The locks that forbid a change of `path`, among those around it. */
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

/** The resources whose locks matter for a change: adding or removing an entry also changes the folder around it. */
function resourcesOf(locks: readonly PlaceLock[], path: string, change: LockedChange): string[] {
  const folder = path === ROOT ? [] : [parentOf(path as NodePath)];
  if (change === 'content') return [path];
  if (change === 'new') return folder;
  const below = locks.filter((lock) => lock.path !== path && isAtOrBelow(lock.path, path));
  return [path, ...folder, ...new Set(below.map((lock) => lock.path))];
}

/** Every exclusive lock has to be opened, and one of the shared locks. */
function shutAt(locks: readonly PlaceLock[], keys: LockKeys): PlaceLock[] {
  const shut = locks.filter((lock) => !isOpen(lock, keys));
  const sharesOne = locks.some((lock) => !lock.isExclusive && isOpen(lock, keys));
  return sharesOne ? shut.filter((lock) => lock.isExclusive) : shut;
}

/** The locks that exclude a new one: shared locks can exist together, an exclusive lock only alone. */
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
