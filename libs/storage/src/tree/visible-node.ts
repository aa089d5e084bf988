import { createHash } from 'node:crypto';
import type { MountRow, NodeRow } from '#persistence';
import { decideAccess, FOLDER_MIMETYPE, type CallerSession, type NodeAccess } from '#sharing';
import { childOf, ROOT, type NodePath } from './node-path';
import type { SeenPlace } from './place';

/** A node, as a user or the holder of a share's secret sees it. */
export interface VisibleNode {
  /** Path in the tree of this view. */
  readonly path: NodePath;
  readonly row: NodeRow;
  readonly ownerDisplayName: string;
  readonly access: NodeAccess;
  /** Whether it is reached through a share. */
  readonly isReceived: boolean;
  /** Path of the share through which it is reached; null in the own storage. */
  readonly mountTarget: string | null;
  /** Whether it is the shared node itself, rather than a node below it. */
  readonly isMountRoot: boolean;
  /** Without quotes. The etag of an own folder also changes with the mounts below it. */
  readonly etag: string;
  /** Set on a folder that is only shown around a shared file. */
  readonly onlyFile?: NodeRow;
}

/** The node at a place; undefined if there is none. */
export function nodeAt(path: NodePath, place: SeenPlace): VisibleNode | undefined {
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

/** A child of `folder`; `mountDigest` is the digest of the mounts below the child. */
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

/** A folder with mounts below it, whose `digest` becomes part of its etag. */
export function aboveMounts(folder: VisibleNode, digest: string): VisibleNode {
  return { ...folder, etag: combinedEtag(folder.row.etag, digest) };
}

/** A received share as an entry of its folder. */
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
