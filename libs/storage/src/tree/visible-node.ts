import { createHash } from 'node:crypto';
import type { MountRow, NodeRow, Place } from '#persistence';
import { FULL_ACCESS } from './access';
import { childOf, type NodePath } from './node-path';

/** A node as one user sees it. */
export interface VisibleNode {
  /** In this user's tree. */
  readonly path: NodePath;
  readonly row: NodeRow;
  readonly ownerDisplayName: string;
  /** Share permissions that hold for this user here; 31 for his own. */
  readonly permissions: number;
  /** Reached through a share that the user received. */
  readonly isReceived: boolean;
  /** The received share itself, not something below it. */
  readonly isMountRoot: boolean;
  /** Without quotes; that of an own folder changes with the mounts below it as well. */
  readonly etag: string;
}

/** What stands at a place; undefined when nothing does. */
export function nodeAt(path: NodePath, place: Place): VisibleNode | undefined {
  if (!place.node) return undefined;
  return {
    path,
    row: place.node,
    ownerDisplayName: place.ownerDisplayName,
    permissions: place.permissions,
    isReceived: place.mountTarget !== null,
    isMountRoot: place.mountTarget === path,
    etag: combinedEtag(place.node.etag, place.mountDigest ?? undefined),
  };
}

/** A child of `folder`; `mountDigest` is that of the mounts below the child. */
export function childNode(folder: VisibleNode, row: NodeRow, mountDigest: string | undefined): VisibleNode {
  return {
    ...folder,
    path: childOf(folder.path, row.name),
    row,
    isMountRoot: false,
    etag: combinedEtag(row.etag, mountDigest),
  };
}

/** A received share as an entry of the folder it is mounted in. */
export function mountedNode(mount: MountRow): VisibleNode {
  return {
    path: mount.target as NodePath,
    row: mount,
    ownerDisplayName: mount.ownerDisplayName,
    permissions: mount.permissions,
    isReceived: true,
    isMountRoot: true,
    etag: mount.etag,
  };
}

/** Whether the user may do everything with the node, as its owner does. */
export function isOwn(node: VisibleNode): boolean {
  return !node.isReceived && node.permissions === FULL_ACCESS;
}

function combinedEtag(own: string, mountDigest: string | undefined): string {
  return mountDigest === undefined ? own : createHash('md5').update(`${own} ${mountDigest}`).digest('hex');
}
