import type { Condition } from './admission';
import type { VisibleNode } from './visible-node';

export interface MoveOptions {
  readonly overwrite: boolean;
  /** Asked about the source. */
  readonly condition?: Condition;
}

export interface CopyOptions {
  readonly overwrite: boolean;
  /** Copy a folder without what is in it. */
  readonly shallow: boolean;
}

export interface MoveResult {
  /** Whether something was overwritten. */
  readonly replaced: boolean;
  /** The entry at its destination; undefined when somebody removed it meanwhile. */
  readonly node: VisibleNode | undefined;
}
