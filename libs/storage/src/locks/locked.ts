import { isAtOrBelow, type NodePath } from '../tree/node-path';
import { TreeFailure } from '../tree/tree-failure';

/** A change was refused because lock tokens are missing, or because a new lock conflicts with existing ones. */
export class Locked extends TreeFailure {
  /**
   * @param path the node of the change or lock
   * @param roots the locked nodes in the same tree; for locks above it, the nearest visible folder
   * @param isConflict whether the change is a lock
   */
  constructor(
    readonly path: NodePath,
    readonly roots: readonly NodePath[],
    readonly isConflict = false,
  ) {
    super('locked', `"${path}" is locked`);
  }

  /** Whether only locks of entries below prevent the change. */
  get isBelow(): boolean {
    return this.roots.every((root) => root !== this.path && isAtOrBelow(root, this.path));
  }
}
