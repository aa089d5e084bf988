import type { Queryable } from '#persistence';
import { ROOT } from '../tree/node-path';
import type { Place } from '../tree/place';
import { placeOf, userView, type TreeView } from '../tree/tree-view';

/**
 * The storage whose quota counts bytes that are stored here before they are in place: that of the place's owner, or the
 * sender's if the place is at a partner, whose quota is not ours.
 */
export async function chargedStorage(
  database: Queryable,
  view: TreeView,
  place: Pick<Place, 'receivedShareId' | 'storageId'>,
): Promise<number> {
  if (place.receivedShareId === null || view.kind !== 'user') return place.storageId;
  return (await placeOf(database, userView(view.uid), ROOT)).storageId;
}
