import { NodeRepository, type StoredPlace, type Queryable, type Room } from '#persistence';
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
import type { Place } from './place';
import { DEFAULT_MAX_NODES, roomIn } from './room';
import { TreeFailure } from './tree-failure';
import type { VisibleNode } from './visible-node';

/** Through whose eyes the node tree is seen: its root and the permissions below it. */
export type TreeView = UserView | SharedNodeView;

/** A user's own storage with their received shares mounted in it. */
export interface UserView {
  readonly kind: 'user';
  readonly uid: string;
  /** Tokens of locks that the viewer submitted. */
  readonly lockTokens?: readonly string[];
}

/** One shared node as the root of a tree, for anyone who holds the secret of its share. */
export interface SharedNodeView {
  readonly kind: 'shared-node';
  /** A link or federated share; it is read again for every operation, so that it ends at once. */
  readonly shareId: number;
  /** Permissions of the share that count, whatever it holds. */
  readonly mask: number;
  /** Whether a shared file is shown as the only entry of a folder, rather than as the root itself. */
  readonly showsFileInFolder: boolean;
  /** How its viewer proved who they are; a visitor did not. */
  readonly session?: CallerSession;
  /** Tokens of locks that the viewer submitted. */
  readonly lockTokens?: readonly string[];
}

export const userView = (uid: string, lockTokens?: readonly string[]): UserView => ({
  kind: 'user',
  uid,
  ...(lockTokens ? { lockTokens } : {}),
});

/**
 * Target of a path of the view; a user's storage is created when they have none.
 * @throws TreeFailure `not-found` for a user who was removed and a share that has ended
 */
export async function placeOf(database: Queryable, view: TreeView, path: NodePath): Promise<Place> {
  const nodes = new NodeRepository(database);
  if (view.kind === 'shared-node') {
    const place = await nodes.placeInShare(view.shareId, path);
    if (!place) throw notFound(path);
    return seen(place, view, path);
  }
  const place = await nodes.place(view.uid, path);
  if (place) return seen(place, view, path);
  await nodes.makeStorage(view.uid);
  const made = await nodes.place(view.uid, path);
  if (!made) throw notFound(path);
  return seen(made, view, path);
}

/** The same with the room of its storage. @param uploadId an upload that is to become a file, and does not count beside it */
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
    if (found) return { place: seen(found.place, view, path), room: found.room };
  }
  const place = await placeOf(database, view, path);
  return { place, room: await roomIn(database, place.storageId, uploadId) };
}

/** The node at `path` that the view shows; undefined where there is none, or the view has ended. */
export async function nodeIn(
  database: Queryable,
  view: TreeView,
  path: NodePath,
): Promise<VisibleNode | undefined> {
  try {
    return visibleAt(path, await placeOf(database, view, path));
  } catch (error) {
    if (error instanceof TreeFailure) return undefined;
    throw error;
  }
}

/** The viewer, as locks know them. */
export function keysOf(view: TreeView): LockKeys {
  const maker = view.kind === 'user' ? { uid: view.uid } : { shareId: view.shareId };
  return { maker, tokens: view.lockTokens ?? [] };
}

/**
 * The viewer's sign-in: that of the current request for the tree of its own account; the session in the view for visitors and
 * partners. Schedules and commands have shown no second factor.
 */
export function callerSessionOf(view: TreeView): CallerSession {
  if (view.kind === 'shared-node') return view.session ?? VISITOR_SESSION;
  const actor = acting()?.actor;
  const isViewer = actor?.kind === 'user' && actor.uid === view.uid;
  return isViewer && actor.secondFactor ? STRONG_SESSION : PLAIN_SESSION;
}

function seen(place: StoredPlace, view: TreeView, path: NodePath): Place {
  const mask = view.kind === 'user' ? ALL : view.mask;
  const standing = { path, storagePath: place.storagePath, mountTarget: place.mountTarget };
  return {
    ...place,
    access: decideAccess(place.chain, callerSessionOf(view)).within(mask),
    locks: new PlaceLocks(standing, place.locks, keysOf(view)),
  };
}
