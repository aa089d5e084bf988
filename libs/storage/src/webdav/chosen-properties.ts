import type { PropStat } from './multistatus';
import type { PropfindRequest } from './propfind-request';
import { elementOf, tagsOf, type ElementTags, type PropertyKey } from './property-name';

/** The properties of one kind of resource. */
export interface PropertyNames {
  /** All existing ones. */
  readonly all: readonly PropertyKey[];
  /** The answer to a request that names none. */
  readonly usual: readonly PropertyKey[];
}

/** The XML inside a property's element; undefined if the resource has no such property. */
type Value<Resource> = (resource: Resource) => string | undefined;

/** For resources whose values are in a map. */
export const valueIn =
  (key: PropertyKey): Value<ReadonlyMap<PropertyKey, string>> =>
  (values) =>
    values.get(key);

const NO_MORE: ReadonlyMap<PropertyKey, string> = new Map();

/** Writes the properties that a PROPFIND requests, of any number of resources of one kind. */
export class ChosenProperties<Resource> {
  readonly keys: readonly PropertyKey[];
  private readonly wanted: readonly {
    readonly key: PropertyKey;
    readonly tags: ElementTags;
    readonly value: Value<Resource>;
  }[];

  /** @param valueOf how to get the value of a property, which is looked up once for all resources */
  constructor(
    private readonly request: PropfindRequest,
    names: PropertyNames,
    valueOf: (key: PropertyKey) => Value<Resource>,
  ) {
    this.keys = [...new Set(wantedKeys(request, names))];
    this.wanted = this.keys.map((key) => ({ key, tags: tagsOf(key), value: valueOf(key) }));
  }

  /** @param more properties that only this resource has; a request that names none gets them, too */
  of(resource: Resource, more = NO_MORE): PropStat[] {
    const { kind } = this.request;
    let found = '';
    let missing = '';
    for (const { key, tags, value: read } of this.wanted) {
      const value = read(resource) ?? more.get(key);
      if (value === undefined) missing += tags.empty;
      else found += kind === 'names' ? tags.empty : elementOf(tags, value);
    }
    if (kind === 'named')
      return [
        { status: 200, properties: found },
        { status: 404, properties: missing },
      ];
    for (const [key, value] of more)
      if (!this.keys.includes(key)) found += elementOf(tagsOf(key), kind === 'names' ? '' : value);
    return [{ status: 200, properties: found }];
  }
}

function wantedKeys(request: PropfindRequest, { all, usual }: PropertyNames): readonly PropertyKey[] {
  if (request.kind === 'names') return all;
  return request.kind === 'named' ? request.properties : [...usual, ...request.properties];
}
