import type { DownloadPermit, MissingProof, NodeAccess } from '#sharing';
import { refuseReserved } from './reserved-names';
import { isAtOrBelow, nameOf, parentOf, ROOT, type NodePath } from './node-path';
import { TreeFailure, type TreeFailureCode } from './tree-failure';
import type { Place, SeenPlace } from './place';
import { nodeAt, type VisibleNode } from './visible-node';

/** The text of deployed servers. */
const VIEW_ONLY = 'Access to this resource has been denied because it is in view-only mode.';

/** Checks the node at a path before it is changed, and throws to prevent the change. */
export type Condition = (existing: VisibleNode | undefined) => void;

/** Text of deployed servers for a move or copy to a missing folder. */
const NO_DESTINATION = 'The destination node is not found';

/** A condition that is always fulfilled. */
export const anything: Condition = () => undefined;

export const notFound = (path: NodePath): TreeFailure =>
  new TreeFailure('not-found', `File with name ${path.slice(1)} could not be located`);

export const forbidden = (message = 'You do not have the permission for this'): TreeFailure =>
  new TreeFailure('forbidden', message);

export const sourceChanged = (): TreeFailure =>
  new TreeFailure('changed-meanwhile', 'The source was changed while it was copied');

export const sourceChangedAtEnd = (): TreeFailure =>
  new TreeFailure(
    'changed-meanwhile',
    'The source was changed while it was moved: it stays, and the destination has a copy from before the change',
  );

const PROOFS = {
  account: ['account-needed', 'This link opens to people who are signed in to this server only'],
  'second-factor': [
    'second-factor-needed',
    'This share opens only where you signed in with a second factor: in the browser, or by an app password that was made there',
  ],
} as const satisfies Record<MissingProof, readonly [code: TreeFailureCode, message: string]>;

/**
 * Refuses access that another sign-in would open, with a text that says so. @throws TreeFailure `account-needed`, `second-factor-needed`
 */
export function refuseUnproven({ missing }: NodeAccess): void {
  if (!missing) return;
  const [code, message] = PROOFS[missing];
  throw new TreeFailure(code, message);
}

const viewOnly = (): TreeFailure => new TreeFailure('view-only', VIEW_ONLY);

/** @throws TreeFailure `view-only` */
function refuseViewOnly(access: NodeAccess): void {
  if (access.isViewOnly) throw viewOnly();
}

/**
 * Permission to read a file's content.
 * @throws TreeFailure `not-found` if the caller may not read, `view-only`
 */
export function admitDownload({ access, path }: VisibleNode): DownloadPermit {
  refuseUnproven(access);
  if (!access.may('read')) throw notFound(path);
  const leave = access.downloadPermit();
  if (!leave) throw viewOnly();
  return leave;
}

/**
 * The node that the user may see at a place. In an upload-only share that is only the share itself. @throws TreeFailure as `refuseUnproven`
 */
export function visibleAt(path: NodePath, place: SeenPlace): VisibleNode | undefined {
  // A missing name gets the same answer, so that it reveals nothing about the content.
  if (place.mountTarget !== path) refuseUnproven(place.access);
  const node = nodeAt(path, place);
  const hidden = node?.isReceived && !node.isMountRoot && !node.access.may('list');
  return hidden ? undefined : node;
}

/** The folder for a new entry. @throws TreeFailure if the user may not add one there */
export function admitNewEntry(
  path: NodePath,
  place: Place,
  missing = 'Parent node does not exist',
): { readonly parentId: number; readonly name: string } {
  if (!place.parent || place.parent.kind !== 'folder') {
    // The lock of an existing node is checked before its kind, as in deployed servers.
    if (place.parent) place.locks.admit('new');
    throw new TreeFailure('parent-missing', missing);
  }
  refuseUnproven(place.access);
  if (!place.access.may('create')) throw forbidden();
  const name = nameOf(path);
  refuseReserved(name);
  place.locks.admit('new');
  return { parentId: place.parent.id, name };
}

/** Checks that the user may remove the node at `path`. @throws TreeFailure if not */
export function admitRemoval(path: NodePath, place: Place): VisibleNode {
  const node = nodeAt(path, place);
  if (!node) throw notFound(path);
  if (path === ROOT) throw forbidden('The root cannot be removed');
  if (node.isMountRoot) return node;
  refuseUnproven(place.access);
  if (!place.access.may('delete')) throw forbidden();
  place.locks.admit('removal');
  return node;
}

/** @throws TreeFailure if two places are the same, or one contains the other */
export function refuseOverlap(from: Place, to: Place): void {
  if (from.storageId !== to.storageId) return;
  if (from.storagePath === to.storagePath) throw forbidden('Source and destination are identical');
  if (isAtOrBelow(to.storagePath, from.storagePath) || isAtOrBelow(from.storagePath, to.storagePath)) {
    throw new TreeFailure('overlapping', 'Source and destination may not contain one another');
  }
}

/** @throws TreeFailure `precondition-failed` if there is a node at the destination that may not be overwritten */
function admitOverwrite(existing: VisibleNode | undefined, overwrite: boolean): void {
  if (existing && !overwrite) throw new TreeFailure('precondition-failed', 'The destination exists');
}

/** Checks that the user may put content at `path`. @throws TreeFailure if not, and errors of `condition` */
export function admitContent(path: NodePath, place: Place, condition: Condition): void {
  if (place.node?.kind === 'folder') throw new TreeFailure('is-folder', 'PUT is not allowed on a folder');
  condition(visibleAt(path, place));
  if (!place.node) admitNewEntry(path, place);
  else admitChange(place);
}

/** Checks that the user may change content or properties of the node at a place. @throws TreeFailure if not */
export function admitChange({ access, locks }: Place): void {
  refuseUnproven(access);
  if (!access.may('write')) throw forbidden();
  locks.admit('content');
}

/**
 * Checks that a node may be moved to `to`. @returns the node that it would replace there
 * @throws TreeFailure if not
 */
export function admitReplacement(to: NodePath, target: Place, overwrite: boolean): VisibleNode | undefined {
  const existing = nodeAt(to, target);
  admitOverwrite(existing, overwrite);
  if (!existing) {
    if (target.parent?.kind === 'folder') return undefined;
    throw new TreeFailure('parent-missing', NO_DESTINATION);
  }
  if (existing.isMountRoot) throw forbidden('A received share cannot be overwritten');
  admitRemoval(to, target);
  return existing;
}

/** Source and destination of a move or copy. */
export interface MovedPlaces {
  readonly from: NodePath;
  readonly source: Place;
  readonly to: NodePath;
  readonly target: Place;
}

/** Checks that the user may move the node at `from` into another folder. @throws TreeFailure if not */
export function admitDeparture(from: NodePath, source: Place): void {
  // In another folder, the conditions of that folder would apply to it.
  refuseUnproven(source.access);
  refuseViewOnly(source.access);
  admitRemoval(from, source);
}

/** Renaming changes an entry, so it needs `update`. Moving removes it here (`delete`) and adds it there (`create`). */
export function admitMove({ from, source, to, target }: MovedPlaces): void {
  const renamed = parentOf(from) === parentOf(to);
  if (!renamed) {
    admitDeparture(from, source);
    admitNewEntry(to, target, NO_DESTINATION);
    return;
  }
  refuseReserved(nameOf(to));
  refuseUnproven(source.access);
  if (!source.access.may('write')) throw forbidden();
  source.locks.admit('removal');
}

/** Whether there is a received share at the destination, which its recipient gives up for the new entry. */
export function overwritesMount(
  { to, target }: Pick<MovedPlaces, 'to' | 'target'>,
  overwrite: boolean,
): boolean {
  return overwrite && target.mountTarget === to && target.receivedShareId === null;
}

/** The node that may be copied, to any place. @throws TreeFailure if it may not */
export function admitOriginal({ from, source, to, target }: MovedPlaces, overwrite: boolean): VisibleNode {
  const original = visibleAt(from, source);
  if (!original) throw notFound(from);
  admitDownload(original);
  if (to === ROOT) throw forbidden('The root cannot be overwritten');
  refuseOverlap(source, target);
  admitOverwrite(nodeAt(to, target), overwrite);
  return original;
}

/** The node that may be copied to its place. @throws TreeFailure if it may not */
export function admitCopy(places: MovedPlaces, overwrite: boolean): VisibleNode {
  const original = admitOriginal(places, overwrite);
  const { to, target } = places;
  const existing = nodeAt(to, target);
  if (existing?.isMountRoot) throw forbidden('A received share cannot be overwritten');
  if (existing) admitRemoval(to, target);
  admitNewEntry(to, target, NO_DESTINATION);
  return original;
}
