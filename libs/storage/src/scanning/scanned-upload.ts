import type { NodePath } from '../tree/node-path';
import type { TreeView } from '../tree/tree-view';

/** Origin and intended place of a content. */
export interface ScannedUpload {
  readonly view: TreeView;
  /** Path in the tree of the view. */
  readonly path: NodePath;
  /** Owner of the tree of the intended place, and the path there. */
  readonly ownerUid: string;
  readonly storagePath: string;
  /** Whether the place is in a share from a partner. */
  readonly isAtPartner: boolean;
}
