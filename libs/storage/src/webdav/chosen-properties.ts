import type { PropStat } from './multistatus';
import type { PropfindRequest } from './propfind-request';
import type { PropertyKey } from './property-name';

/** The properties of one kind of resource. */
export interface PropertyNames {
  /** All existing ones. */
  readonly all: readonly PropertyKey[];
  /** The answer to a request that names none. */
  readonly usual: readonly PropertyKey[];
}

/**
 * The properties that a PROPFIND requests.
 * @param valueOf the XML inside a property's element; undefined if the resource has no such property
 */
export function chosenProperties(
  request: PropfindRequest,
  names: PropertyNames,
  valueOf: (key: PropertyKey) => string | undefined,
): PropStat[] {
  const found: [PropertyKey, string][] = [];
  const missing: [PropertyKey, string][] = [];
  for (const key of wantedKeys(request, names)) {
    const value = valueOf(key);
    if (value === undefined) missing.push([key, '']);
    else found.push([key, request.kind === 'names' ? '' : value]);
  }
  const known: PropStat = { status: 200, properties: found };
  return request.kind === 'named' ? [known, { status: 404, properties: missing }] : [known];
}

function wantedKeys(request: PropfindRequest, { all, usual }: PropertyNames): readonly PropertyKey[] {
  if (request.kind === 'names') return all;
  return request.kind === 'named' ? request.properties : [...new Set([...usual, ...request.properties])];
}
