import type { StoredPlace } from '#persistence';
import type { NodeAccess } from '#sharing';
import type { PlaceLocks } from '../locks/place-locks';

/** Target of a path, with the viewer's permissions there. */
export interface Place extends Omit<StoredPlace, 'locks'> {
  readonly access: NodeAccess;
  readonly locks: PlaceLocks;
}
