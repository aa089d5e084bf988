import { isAtOrBelow, type NodePath } from '../tree/node-path';
import { TreeFailure } from '../tree/tree-failure';

/** A change was refused because of locks whose tokens were not submitted, or that a new lock cannot be beside. */
export class Locked extends TreeFailure {
  /**
   * @param path the node to be changed or locked
   * @param roots where the locks are, in the same tree; the nearest visible folder for locks above it
   * @param isConflict whether the change is a lock
   */
  constructor(
    readonly path: NodePath,
    readonly roots: readonly NodePath[],
    readonly isConflict = false,
  ) {
    super('locked', `"${path}" is locked`);
  }

  /** Whether only locks of entries below are in the way. */
  get isBelow(): boolean {
    return this.roots.every((root) => root !== this.path && isAtOrBelow(root, this.path));
  }
}
