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

/** Where something stands: in the tree of the one who looks, and in its storage. */
export interface Standing {
  readonly path: NodePath;
  readonly storagePath: string;
  /** Path at which the share stands through which it is reached; null in the own storage. */
  readonly mountTarget: string | null;
}

/** Where the root of a lock around something appears in the same tree; of one above a share, the share. */
export function lockRootAt({ path, storagePath, mountTarget }: Standing, lockPath: string): NodePath {
  if (lockPath.length >= storagePath.length)
    return `${path}${lockPath.slice(storagePath.length)}` as NodePath;
  let [seen, stored] = [path, storagePath];
  while (stored !== lockPath && seen !== mountTarget && seen !== ROOT)
    [seen, stored] = [parentOf(seen), parentOf(stored as NodePath)];
  return seen;
}

/** The locks around a place, and what they let its viewer do. */
export class PlaceLocks {
  constructor(
    private readonly standing: Standing,
    private readonly around: readonly PlaceLock[],
    private readonly keys: LockKeys,
  ) {}

  /** @throws Locked where the viewer did not submit the token of a lock */
  admit(change: LockedChange): void {
    this.refuse(locksInTheWay(this.around, this.standing.storagePath, change, this.keys), false);
  }

  /** @throws Locked where the new lock cannot be beside another one */
  admitLock(wanted: { readonly isExclusive: boolean; readonly isDeep: boolean }): void {
    this.refuse(conflictingLocks(this.around, this.standing.storagePath, wanted), true);
  }

  /** Tokens of those that a change here may meet: above, at and below the place. */
  get tokensAround(): string[] {
    return this.around.map((lock) => lock.token);
  }

  /** Those that hold for what stands here, or would. */
  get covering(): PlaceLock[] {
    return this.around.filter((lock) => covers(lock, this.standing.storagePath));
  }

  /** Those of them that the viewer made. */
  get own(): PlaceLock[] {
    return this.covering.filter((lock) => isMadeBy(lock, this.keys));
  }

  /** Those of them that the viewer made, and whose tokens they submitted. */
  get submitted(): PlaceLock[] {
    return this.own.filter((lock) => this.keys.tokens.includes(lock.token));
  }

  private refuse(locks: readonly PlaceLock[], isConflict: boolean): void {
    if (locks.length === 0) return;
    const roots = locks.map((lock) => lockRootAt(this.standing, lock.path));
    throw new Locked(this.standing.path, [...new Set(roots)], isConflict);
  }
}
