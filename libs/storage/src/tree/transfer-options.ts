import type { Condition } from './admission';

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
}
