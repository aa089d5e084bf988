import { createHash } from 'node:crypto';
import type { MountRow, NodeRow } from '#persistence';
import { decideAccess, FOLDER_MIMETYPE, type CallerSession, type NodeAccess } from '#sharing';
import { childOf, ROOT, type NodePath } from './node-path';
import type { Place } from './place';

/** A node as one user, or whoever holds the secret of a share, sees it. */
export interface VisibleNode {
  /** In the tree of this view. */
  readonly path: NodePath;
  readonly row: NodeRow;
  readonly ownerDisplayName: string;
  readonly access: NodeAccess;
  /** Reached through a share. */
  readonly isReceived: boolean;
  /** Path at which the share stands through which it is reached; null in the own storage. */
  readonly mountTarget: string | null;
  /** The shared node itself, not something below it. */
  readonly isMountRoot: boolean;
  /** Without quotes; that of an own folder changes with the mounts below it as well. */
  readonly etag: string;
  /** Set on a folder that is shown around a shared file and holds nothing else. */
  readonly onlyFile?: NodeRow;
}

/** The node at a place; undefined when there is none. */
export function nodeAt(path: NodePath, place: Place): VisibleNode | undefined {
  if (!place.node) return undefined;
  return {
    path,
    row: place.node,
    ownerDisplayName: place.ownerDisplayName,
    access: place.access,
    isReceived: place.mountTarget !== null,
    mountTarget: place.mountTarget,
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

/** A node at any depth below `top`, which is a folder of the same storage. */
export function nodeBelow(top: VisibleNode, row: NodeRow): VisibleNode {
  const path = `${top.path}${row.path.slice(top.row.path.length)}` as NodePath;
  return { ...top, path, row, isMountRoot: false, etag: row.etag };
}

/** A folder with mounts below it, whose `digest` counts in its etag. */
export function aboveMounts(folder: VisibleNode, digest: string): VisibleNode {
  return { ...folder, etag: combinedEtag(folder.row.etag, digest) };
}

/** A received share as an entry of the folder it is mounted in. */
export function mountedNode(mount: MountRow, session: CallerSession): VisibleNode {
  return {
    path: mount.target as NodePath,
    row: mount,
    ownerDisplayName: mount.ownerDisplayName,
    access: decideAccess([mount.grants], session),
    isReceived: true,
    mountTarget: mount.target,
    isMountRoot: true,
    etag: mount.etag,
  };
}

/** The folder that is shown around a shared file. */
export function folderAround(file: VisibleNode): VisibleNode {
  const row = {
    ...file.row,
    kind: 'folder',
    mimetype: FOLDER_MIMETYPE,
    blobKey: null,
    checksum: null,
  } as const;
  return { ...file, row, onlyFile: file.row };
}

/** The shared file in the folder that is shown around it. */
export function fileIn(folder: VisibleNode, row: NodeRow): VisibleNode {
  return { ...folder, path: childOf(ROOT, row.name), row, onlyFile: undefined };
}

function combinedEtag(own: string, mountDigest: string | undefined): string {
  return mountDigest === undefined ? own : createHash('md5').update(`${own} ${mountDigest}`).digest('hex');
}
