import type { Queryable } from '#persistence';
import { ROOT } from '../tree/node-path';
import type { Place } from '../tree/place';
import { placeOf, userView, type TreeView } from '../tree/tree-view';

/**
 * The storage to whose quota bytes count that are kept here before they are at their place: that of the place's owner; the
 * sender's where the place is a partner's, whose quota is not ours.
 */
export async function chargedStorage(
  database: Queryable,
  view: TreeView,
  place: Pick<Place, 'receivedShareId' | 'storageId'>,
): Promise<number> {
  if (place.receivedShareId === null || view.kind !== 'user') return place.storageId;
  return (await placeOf(database, userView(view.uid), ROOT)).storageId;
}
