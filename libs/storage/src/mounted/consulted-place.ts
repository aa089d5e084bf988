import type { Database } from '#persistence';
import { notFound, type MovedPlaces } from '../tree/admission';
import { newEtag } from '../tree/etag';
import type { RemoteEntry } from '#federation/remote-files';
import { parentOf, ROOT, type NodePath } from '../tree/node-path';
import type { Place } from '../tree/place';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import { remotePlaceOf, type RemotePlace, type RemoteTree } from './remote-tree';

/** A place in a storage with content at a partner. */
export type MountedPlace = ConsultedPlace & { readonly receivedShareId: number };

interface ConsultedPlace extends Place {
  /** Whether only the partner knows if the folder above it is there. */
  readonly isFolderUnknown?: boolean;
}

/** Whether any of these places lies at a partner. */
export function concernsPartner(places: Partial<Pick<MovedPlaces, 'source' | 'target'>>): boolean {
  return places.source?.receivedShareId != null || places.target?.receivedShareId != null;
}

/** The places of two paths of a view. */
export async function placesOf(
  database: Database,
  view: TreeView,
  from: NodePath,
  to: NodePath,
): Promise<MovedPlaces> {
  return {
    from,
    source: await placeOf(database, view, from),
    to,
    target: await placeOf(database, view, to),
  };
}

/**
 * The present entry at a path of a partner, after asking the partner: for a change there. A local path is only
 * looked up.
 * @param depth with 1, also the entries of a folder
 * @throws TreeFailure `unavailable`, `not-found` when the share has ended
 */
export async function consultedPlace(
  database: Database,
  remote: RemoteTree,
  view: TreeView,
  path: NodePath,
  depth: 0 | 1 = 0,
): Promise<ConsultedPlace> {
  const place = await placeOf(database, view, path);
  const atPartner = remotePlaceOf(place);
  if (!atPartner) return place;
  await remote.consult(atPartner, depth);
  const now = await placeOf(database, view, path);
  if (now.node || now.parent || atPartner.path === ROOT) return now;
  // The folder of the entry is not known here, but it may exist.
  await remote.consult(folderOf(atPartner));
  return inDrop(database, view, path, await placeOf(database, view, path));
}

/**
 * A partner shows no entries of a share that only takes files, so it alone knows whether the folder above a place is there. The
 * nearest known folder stands for it, and the partner refuses the change if it is missing.
 */
async function inDrop(
  database: Database,
  view: TreeView,
  path: NodePath,
  place: Place,
): Promise<ConsultedPlace> {
  if (place.node || place.parent || place.receivedShareId === null || !place.access.isDrop) return place;
  const folder = parentOf(path);
  if (folder === ROOT) return place;
  const above = await placeOf(database, view, folder);
  const { node, parent } = above.node ? above : await inDrop(database, view, folder, above);
  return { ...place, parent: node ?? parent, isFolderUnknown: true };
}

/** The same for a place that is known to lie at a partner. */
export async function partnerPlace(
  database: Database,
  remote: RemoteTree,
  view: TreeView,
  path: NodePath,
): Promise<MountedPlace> {
  const place = await consultedPlace(database, remote, view, path);
  if (!isAtPartner(place)) throw notFound(path);
  return place;
}

/**
 * Checks a change by the known permissions. If they forbid it, the partners are asked once for their permissions, and it
 * is checked again: an owner may have allowed more without a message.
 * @param judge finds the places and admits the change
 */
export async function admitted<T>(
  remote: RemoteTree,
  placesNow: () => Promise<readonly Place[]>,
  judge: () => Promise<T>,
): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof TreeFailure) || error.code !== 'forbidden') throw error;
    const shares = new Set((await placesNow()).map(({ receivedShareId }) => receivedShareId));
    shares.delete(null);
    const asked = await Promise.all([...shares].map((share) => remote.askPermissions(share!)));
    if (!asked.includes(true)) throw error;
    return judge();
  }
}

const isAtPartner = (place: Place): place is MountedPlace => place.receivedShareId !== null;

const folderOf = ({ receivedShareId, path }: RemotePlace): RemotePlace => ({
  receivedShareId,
  path: parentOf(path),
  node: null,
});

/** The path in the share. */
export const pathIn = (place: MountedPlace): NodePath => place.storagePath as NodePath;

/** An entry that the partner did not describe further. It gets another etag when the partner describes it. */
export function entryAt(
  place: MountedPlace,
  known: Pick<RemoteEntry, 'kind' | 'size' | 'mtime'>,
): RemoteEntry {
  return { ...known, path: pathIn(place), etag: newEtag(), mimetype: null, permissions: null };
}
