import type { BarePlace, StoredPlace } from '#persistence';
import type { NodeAccess } from '#sharing';
import type { PlaceLocks } from '../locks/place-locks';

/** Target of a path without its surroundings, with the viewer's permissions there. */
export interface SeenPlace extends BarePlace {
  readonly access: NodeAccess;
}

/** Target of a path, with the viewer's permissions there. */
export interface Place extends SeenPlace, Pick<StoredPlace, 'parent'> {
  readonly locks: PlaceLocks;
}
