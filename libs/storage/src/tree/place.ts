import type { Place as StoredPlace } from '#persistence';
import type { NodeAccess } from '#sharing';

/** Where a path leads, and what the viewer may do there. */
export interface Place extends StoredPlace {
  readonly access: NodeAccess;
}
