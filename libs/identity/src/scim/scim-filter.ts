import { parse, type Filter } from 'scim2-parse-filter';
import { ScimFailed } from './scim-failed';

const MAX_CHARACTERS = 2048;
/** Maximum of parentheses and conditions; more would only cost time. */
const MAX_CONDITIONS = 50;
/** Attributes whose case matters. */
const EXACT = new Set(['id', 'externalid', 'value', '$ref']);

type Comparison = Extract<Filter, { compValue: unknown }>;
type Value = Comparison['compValue'];

/** @throws ScimFailed 400 invalidFilter */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_CHARACTERS || (text.match(/[([]|\b(?:and|or|not)\b/gi) ?? []).length > MAX_CONDITIONS)
    throw new ScimFailed(400, 'The filter is too long', 'invalidFilter');
  try {
    return parse(text);
  } catch {
    throw new ScimFailed(400, 'The filter cannot be read', 'invalidFilter');
  }
}

/** A filter for one resource: the attribute in lower case, and its value. */
export function lookupOf(filter: Filter): { attribute: string; value: string } | undefined {
  if (filter.op !== 'eq' || typeof filter.compValue !== 'string') return undefined;
  return { attribute: pathOf(filter.attrPath).join('.'), value: filter.compValue };
}

/** Whether a filter matches a resource, or one value of a multi-valued attribute (RFC 7644, section 3.4.2.2). */
export function matches(filter: Filter, resource: unknown): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((one) => matches(one, resource));
    case 'or':
      return filter.filters.some((one) => matches(one, resource));
    case 'not':
      return !matches(filter.filter, resource);
    case '[]':
      return valuesAt(pathOf(filter.attrPath), resource).some((value) => matches(filter.valFilter, value));
    case 'pr':
      return valuesAt(pathOf(filter.attrPath), resource).some(isPresent);
    case 'ne':
      return !compares({ ...filter, op: 'eq' }, resource);
    case 'eq':
    case 'co':
    case 'sw':
    case 'ew':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return compares(filter, resource);
  }
}

function compares({ op, attrPath, compValue }: Comparison, resource: unknown): boolean {
  const path = pathOf(attrPath);
  const values = valuesAt(path, resource).map((value) =>
    typeof value === 'object' && value !== null ? (value as { value?: unknown }).value : value,
  );
  if (compValue === null) return op === 'eq' && !values.some(isPresent);
  const isExact = EXACT.has(path.at(-1)!);
  return values.some((value) => compareOne(op, value, compValue, isExact));
}

function compareOne(op: Comparison['op'], found: unknown, wanted: Value, isExact: boolean): boolean {
  if (typeof found !== typeof wanted) return false;
  if (typeof found !== 'string' || typeof wanted !== 'string')
    return ordered(op, Number(found) - Number(wanted));
  const [one, other] = isExact ? [found, wanted] : [found.toLowerCase(), wanted.toLowerCase()];
  if (op === 'co') return one.includes(other);
  if (op === 'sw') return one.startsWith(other);
  if (op === 'ew') return one.endsWith(other);
  return ordered(op, one < other ? -1 : Number(one > other));
}

function ordered(op: Comparison['op'], difference: number): boolean {
  if (op === 'eq') return difference === 0;
  if (op === 'gt') return difference > 0;
  if (op === 'ge') return difference >= 0;
  if (op === 'lt') return difference < 0;
  return op === 'le' && difference <= 0;
}

/** The parts of a path in lower case, without its schema. */
function pathOf(attrPath: string): string[] {
  return attrPath
    .slice(attrPath.startsWith('urn:') ? attrPath.lastIndexOf(':') + 1 : 0)
    .toLowerCase()
    .split('.');
}

/** Values of an attribute, by a path in lower case; items of arrays one by one. */
function valuesAt(path: readonly string[], from: unknown): unknown[] {
  let values = [from];
  for (const name of path)
    values = values.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value)
        .filter(([key]) => key.toLowerCase() === name)
        .flatMap(([, found]) => found as unknown);
    });
  return values;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
