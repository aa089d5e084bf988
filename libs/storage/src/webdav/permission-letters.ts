import { clampToKind, SHARE, type NodeAccess, type NodeOperation } from '#sharing';
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
  const { access, row } = node;
  const isMountRoot = node.isMountRoot && !isVisitor;
  const letters =
    (node.isReceived && !isVisitor ? 'S' : '') +
    (mayShare ? letter(access, 'reshare', 'R') : '') +
    (isMountRoot ? 'D' : letter(access, 'delete', 'D')) +
    (isMountRoot ? 'NV' : letter(access, 'write', 'NV')) +
    (row.kind === 'file' ? letter(access, 'write', 'W') : letter(access, 'create', 'CK'));
  return letters === '' && isPartner ? letter(access, 'read', 'G') : letters;
}

const letter = (access: NodeAccess, operation: NodeOperation, letters: string): string =>
  access.may(operation) ? letters : '';

/** Value of ocs:share-permissions: the most that a share of the node can grant. */
export function sharePermissions(node: Judged, { mayShare }: Pick<Viewer, 'mayShare'>): number {
  const permissions = clampToKind(node.access.permissions, node.row.kind);
  return mayShare ? permissions : permissions & ~SHARE;
}
