import type { NodePath } from '../tree/node-path';
import type { TreeView } from '../tree/tree-view';

/** Where a content comes from and where it is to be. */
export interface ScannedUpload {
  readonly view: TreeView;
  /** In the tree of the view. */
  readonly path: NodePath;
  /** Owner of the tree where it is to be, and the path there. */
  readonly ownerUid: string;
  readonly storagePath: string;
  /** It is to be in a share that a partner made. */
  readonly isAtPartner: boolean;
}
