import { clampToKind, SHARE, type NodeOperation } from '#sharing';
import type { VisibleNode } from '../tree/visible-node';

type Judged = Pick<VisibleNode, 'isReceived' | 'isMountRoot' | 'access'> & {
  readonly row: { readonly kind: 'file' | 'folder' };
};

/** The viewer of a node. */
export interface Viewer {
  /** Whether it is a visitor of a link, or a partner's server: for them nothing is "received", and the root is not theirs. */
  readonly isVisitor: boolean;
  /** Whether it is a partner's server. */
  readonly isPartner: boolean;
  /** Whether the settings let the viewer share the node. */
  readonly mayShare: boolean;
}

/**
 * Value of oc:permissions (ocs-facts 12): S received, R shareable, D deletable, NV renameable and movable, W
 * writable file, C and K: files and folders can be made. The recipient of a share can always rename and remove the mount
 * itself, because that changes only their own tree. For partners, a node that can only be read has G, because Nextcloud
 * takes an empty value for all permissions (federation-facts 15).
 */
export function permissionLetters(node: Judged, { isVisitor, isPartner, mayShare }: Viewer): string {
  const isMountRoot = node.isMountRoot && !isVisitor;
  const letter = (operation: NodeOperation, letters: string) => (node.access.may(operation) ? letters : '');
  const letters = [
    node.isReceived && !isVisitor ? 'S' : '',
    mayShare ? letter('reshare', 'R') : '',
    isMountRoot ? 'D' : letter('delete', 'D'),
    isMountRoot ? 'NV' : letter('write', 'NV'),
    node.row.kind === 'file' ? letter('write', 'W') : letter('create', 'CK'),
  ].join('');
  return letters === '' && isPartner ? letter('read', 'G') : letters;
}

/** Value of ocs:share-permissions: the most that a share of the node can grant. */
export function sharePermissions(node: Judged, { mayShare }: Pick<Viewer, 'mayShare'>): number {
  const permissions = clampToKind(node.access.permissions, node.row.kind);
  return mayShare ? permissions : permissions & ~SHARE;
}
