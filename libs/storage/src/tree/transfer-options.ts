import type { Condition } from './admission';
import type { VisibleNode } from './visible-node';

export interface MoveOptions {
  readonly overwrite: boolean;
  /** Condition on the source. */
  readonly condition?: Condition;
}

export interface CopyOptions {
  readonly overwrite: boolean;
  /** Copies a folder without its content. */
  readonly shallow: boolean;
}

export interface MoveResult {
  /** Whether an entry was overwritten. */
  readonly replaced: boolean;
  /** The entry at its destination; undefined if somebody has removed it since. */
  readonly node: VisibleNode | undefined;
}
