import { NodeRepository, type BarePlace, type StoredPlace, type Queryable, type Room } from '#persistence';
import type { LockKeys } from '../locks/lock-rules';
import { PlaceLocks } from '../locks/place-locks';
import { acting } from '#platform';
import {
  ALL,
  decideAccess,
  PLAIN_SESSION,
  STRONG_SESSION,
  VISITOR_SESSION,
  type CallerSession,
} from '#sharing';
import { notFound, visibleAt } from './admission';
import type { NodePath } from './node-path';
import type { Place, SeenPlace } from './place';
import { DEFAULT_MAX_NODES, roomIn } from './room';
import { TreeFailure } from './tree-failure';
import type { VisibleNode } from './visible-node';

/** A view of the node tree: its root and the permissions below it. */
export type TreeView = UserView | SharedNodeView;

/** A user's own storage with their received shares mounted in it. */
export interface UserView {
  readonly kind: 'user';
  readonly uid: string;
  /** Lock tokens that the viewer sent. */
  readonly lockTokens?: readonly string[];
}

/** A tree whose root is one shared node, for holders of the share's secret. */
export interface SharedNodeView {
  readonly kind: 'shared-node';
  /** A link or federated share. It is read again for every operation, so that its end has effect at once. */
  readonly shareId: number;
  /** Permissions of the share that are valid now; the share itself may have more. */
  readonly mask: number;
  /** Whether a shared file is shown as the only entry of a folder, rather than as the root itself. */
  readonly showsFileInFolder: boolean;
  /** Sign-in of the viewer; undefined for a visitor. */
  readonly session?: CallerSession;
  /** Lock tokens that the viewer sent. */
  readonly lockTokens?: readonly string[];
}

export const userView = (uid: string, lockTokens?: readonly string[]): UserView => ({
  kind: 'user',
  uid,
  ...(lockTokens ? { lockTokens } : {}),
});

/**
 * Target of a path of the view. A user without a storage gets one.
 * @throws TreeFailure `not-found` for a removed user and for an ended share
 */
export async function placeOf(database: Queryable, view: TreeView, path: NodePath): Promise<Place> {
  const nodes = new NodeRepository(database);
  if (view.kind === 'shared-node') {
    const place = await nodes.placeInShare(view.shareId, path);
    if (!place) throw notFound(path);
    return whole(place, view, path);
  }
  const place = await inStorageOf(nodes, view.uid, path, () => nodes.place(view.uid, path));
  return whole(place, view, path);
}

/** The same without the folder above it and locks, for reads. */
export async function seenPlaceOf(database: Queryable, view: TreeView, path: NodePath): Promise<SeenPlace> {
  if (view.kind === 'shared-node') return placeOf(database, view, path);
  const nodes = new NodeRepository(database);
  return seen(await inStorageOf(nodes, view.uid, path, () => nodes.barePlace(view.uid, path)), view);
}

/** Looks again after a user without a storage got one. */
async function inStorageOf<Of>(
  nodes: NodeRepository,
  uid: string,
  path: NodePath,
  look: () => Promise<Of | undefined>,
): Promise<Of> {
  const place = await look();
  if (place) return place;
  await nodes.makeStorage(uid);
  const made = await look();
  if (!made) throw notFound(path);
  return made;
}

/** The same, with the room of its storage. @param uploadId an upload that becomes a file, and does not count against the room */
export async function placeAndRoomOf(
  database: Queryable,
  view: TreeView,
  path: NodePath,
  uploadId?: number,
): Promise<{ readonly place: Place; readonly room: Room }> {
  if (view.kind === 'user') {
    const found = await new NodeRepository(database).placeAndRoom(
      view.uid,
      path,
      DEFAULT_MAX_NODES,
      uploadId,
    );
    if (found) return { place: whole(found.place, view, path), room: found.room };
  }
  const place = await placeOf(database, view, path);
  return { place, room: await roomIn(database, place.storageId, uploadId) };
}

/** The node at `path` that the view shows; undefined if there is none, or the view has ended. */
export async function nodeIn(
  database: Queryable,
  view: TreeView,
  path: NodePath,
): Promise<VisibleNode | undefined> {
  try {
    return visibleAt(path, await seenPlaceOf(database, view, path));
  } catch (error) {
    if (error instanceof TreeFailure) return undefined;
    throw error;
  }
}

/** The viewer, in the form that locks need. */
export function keysOf(view: TreeView): LockKeys {
  const maker = view.kind === 'user' ? { uid: view.uid } : { shareId: view.shareId };
  return { maker, tokens: view.lockTokens ?? [] };
}

/**
 * The viewer's sign-in: for the tree of the own account, that of the present request; for visitors and
 * partners, the session in the view. Schedules and commands have no second factor.
 */
export function callerSessionOf(view: TreeView): CallerSession {
  if (view.kind === 'shared-node') return view.session ?? VISITOR_SESSION;
  const actor = acting()?.actor;
  const isViewer = actor?.kind === 'user' && actor.uid === view.uid;
  return isViewer && actor.secondFactor ? STRONG_SESSION : PLAIN_SESSION;
}

/** A stored place with the viewer's access. */
export function seen(place: BarePlace, view: TreeView): SeenPlace {
  const mask = view.kind === 'user' ? ALL : view.mask;
  return { ...place, access: decideAccess(place.chain, callerSessionOf(view)).within(mask) };
}

function whole(place: StoredPlace, view: TreeView, path: NodePath): Place {
  const standing = { path, storagePath: place.storagePath, mountTarget: place.mountTarget };
  return {
    ...seen(place, view),
    parent: place.parent,
    locks: new PlaceLocks(standing, place.locks, keysOf(view)),
  };
}
