import type { PlaceLock } from '#persistence';
import { parentOf, ROOT, type NodePath } from '../tree/node-path';
import {
  conflictingLocks,
  covers,
  isMadeBy,
  locksInTheWay,
  type LockedChange,
  type LockKeys,
} from './lock-rules';
import { Locked } from './locked';

/** Position of a node: in the viewer's tree, and in its storage. */
export interface Standing {
  readonly path: NodePath;
  readonly storagePath: string;
  /** Path of the share through which the node is reached; null in the own storage. */
  readonly mountTarget: string | null;
}

/** Root of a lock in the viewer's tree; for a lock above a share, the share. */
export function lockRootAt({ path, storagePath, mountTarget }: Standing, lockPath: string): NodePath {
  if (lockPath.length >= storagePath.length)
    return `${path}${lockPath.slice(storagePath.length)}` as NodePath;
  let [seen, stored] = [path, storagePath];
  while (stored !== lockPath && seen !== mountTarget && seen !== ROOT)
    [seen, stored] = [parentOf(seen), parentOf(stored as NodePath)];
  return seen;
}

/** The locks around a place, and what they allow its viewer. */
export class PlaceLocks {
  constructor(
    private readonly standing: Standing,
    private readonly around: readonly PlaceLock[],
    private readonly keys: LockKeys,
  ) {}

  /** @throws Locked if the viewer did not send the token of a lock */
  admit(change: LockedChange): void {
    this.refuse(locksInTheWay(this.around, this.standing.storagePath, change, this.keys), false);
  }

  /** @throws Locked if the new lock conflicts with another one */
  admitLock(wanted: { readonly isExclusive: boolean; readonly isDeep: boolean }): void {
    this.refuse(conflictingLocks(this.around, this.standing.storagePath, wanted), true);
  }

  /** Tokens of all valid locks above, at and below the place, which a change here may need. */
  get tokensAround(): string[] {
    return this.around.map((lock) => lock.token);
  }

  /** Locks that cover this place, with or without a node. */
  get covering(): PlaceLock[] {
    return this.around.filter((lock) => covers(lock, this.standing.storagePath));
  }

  /** Covering locks that the viewer made. */
  get own(): PlaceLock[] {
    return this.covering.filter((lock) => isMadeBy(lock, this.keys));
  }

  /** Covering locks that the viewer made and whose tokens they sent. */
  get submitted(): PlaceLock[] {
    return this.own.filter((lock) => this.keys.tokens.includes(lock.token));
  }

  private refuse(locks: readonly PlaceLock[], isConflict: boolean): void {
    if (locks.length === 0) return;
    const roots = locks.map((lock) => lockRootAt(this.standing, lock.path));
    throw new Locked(this.standing.path, [...new Set(roots)], isConflict);
  }
}
