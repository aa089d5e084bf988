import type { StoredPlace } from '#persistence';
import type { NodeAccess } from '#sharing';
import type { PlaceLocks } from '../locks/place-locks';

/** Where a path leads, and what the viewer may do there. */
export interface Place extends Omit<StoredPlace, 'locks'> {
  readonly access: NodeAccess;
  readonly locks: PlaceLocks;
}
