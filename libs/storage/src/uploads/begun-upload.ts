import type { UploadDeclaration, UploadKind, UploadSender } from '#persistence';
import type { NodePath } from '../tree/node-path';
import type { PutOptions } from '../tree/put-content';
import type { TreeView } from '../tree/tree-view';

/** An upload in parts that a sender begins. */
export interface BegunUpload {
  readonly kind: UploadKind;
  readonly name: string;
  readonly sender: UploadSender;
  readonly view: TreeView;
  /** Place of the finished file; undefined if it is named at the end. */
  readonly target?: NodePath;
  /** Size in bytes, if it is known. */
  readonly totalSize?: number;
  readonly told?: UploadDeclaration;
}

/** Facts about a part, from the sender. */
export interface ExpectedPiece extends Pick<PutOptions, 'announcedSize' | 'checksum'> {
  /** Tree of the sender. */
  readonly view: TreeView;
  /** Sum of the sizes of all earlier parts, if each part has to follow the one before; an empty part is not stored then. */
  readonly offset?: number;
}
