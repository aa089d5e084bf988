import type { Filter } from 'scim2-parse-filter';
import { ScimFailed } from './scim-failed';
import { parseFilter } from './scim-filter';
import { MOST_RESULTS } from './scim-schemas';

/** A query for resources. */
export interface ScimQuery {
  readonly filter: Filter | undefined;
  /** Starts at 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** Attributes of an answer, as paths in lower case. */
export interface ScimProjection {
  /** undefined: all. */
  readonly attributes: readonly string[] | undefined;
  readonly excluded: readonly string[];
}

const MOST_ATTRIBUTES = 50;
const ALWAYS = new Set(['id', 'schemas', 'meta']);

/** @throws ScimFailed 400 */
export function parseQuery(given: Readonly<Record<string, unknown>>): ScimQuery {
  const { filter } = given;
  if (filter !== undefined && typeof filter !== 'string')
    throw new ScimFailed(400, 'The filter cannot be read', 'invalidFilter');
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    startIndex: Math.max(1, wholeNumber(given.startIndex, 1)),
    count: Math.min(MOST_RESULTS, Math.max(0, wholeNumber(given.count, 100))),
  };
}

/** @throws ScimFailed 400 */
export function parseProjection(given: Readonly<Record<string, unknown>>): ScimProjection {
  return {
    attributes: given.attributes === undefined ? undefined : namesIn(given.attributes),
    excluded: namesIn(given.excludedAttributes ?? ''),
  };
}

/** The requested attributes of a resource; ids, schemas and meta are always included. */
export function projected(
  resource: Readonly<Record<string, unknown>>,
  { attributes, excluded }: ScimProjection,
): Record<string, unknown> {
  const shown = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    const folded = name.toLowerCase();
    if (ALWAYS.has(folded)) return [[name, value]];
    if (excluded.includes(folded)) return [];
    if (attributes === undefined || attributes.includes(folded)) return [[name, value]];
    const subs = attributes
      .filter((one) => one.startsWith(`${folded}.`))
      .map((one) => one.slice(folded.length + 1));
    return subs.length === 0 ? [] : [[name, withSubs(value, subs)]];
  });
  return Object.fromEntries(shown);
}

function withSubs(value: unknown, subs: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withSubs(one, subs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => subs.includes(name.toLowerCase())));
}

function namesIn(given: unknown): string[] {
  const names = Array.isArray(given) ? given : String(given).split(',');
  if (names.length > MOST_ATTRIBUTES) throw new ScimFailed(400, 'Too many attributes', 'invalidValue');
  return names.map((name) =>
    String(name)
      .trim()
      .replace(/^urn:[\w.:-]+:/i, '')
      .toLowerCase(),
  );
}

function wholeNumber(given: unknown, usual: number): number {
  if (given === undefined) return usual;
  const number = Number(given);
  if (!Number.isSafeInteger(number))
    throw new ScimFailed(400, 'startIndex and count are numbers', 'invalidValue');
  return number;
}
