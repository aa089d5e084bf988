import { z } from 'zod';
import type { Filter } from 'scim2-parse-filter';
import { ScimFailed, type ScimErrorType } from './scim-failed';
import { matches, parseFilter } from './scim-filter';
import { ATTRIBUTE_NAMES, PATCH_SCHEMA } from './scim-schemas';

const MAX_OPERATIONS = 1000;
const READ_ONLY = new Set(['id', 'meta', 'groups', 'schemas']);
const MULTI_VALUED = new Set(['emails', 'members']);
/** Attributes of RFC 7643 that are not stored here; directories send them nevertheless. */
const NOT_KEPT = new Set([
  ...['nickname', 'profileurl', 'title', 'usertype', 'preferredlanguage', 'locale', 'timezone', 'password'],
  ...['phonenumbers', 'ims', 'photos', 'addresses', 'entitlements', 'roles', 'x509certificates'],
]);

const PATCH = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(PATCH_SCHEMA)),
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .transform((op) => op.toLowerCase())
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().min(1).max(2048).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(MAX_OPERATIONS),
});
type Operation = z.infer<typeof PATCH>['Operations'][number];

type Complex = Record<string, unknown>;
type Kind = 'User' | 'Group';

interface Target {
  /** Name of the attribute in its own spelling. */
  readonly attribute: string;
  readonly filter?: Filter;
  readonly sub?: string;
}

const fail = (type: ScimErrorType, message: string): ScimFailed => new ScimFailed(400, message, type);

/**
 * The resource after the operations of a PATCH (RFC 7644, section 3.5.2); it is then parsed like the body of any request.
 * @throws ScimFailed 400
 */
export function patched(kind: Kind, resource: Complex, body: unknown): Complex {
  const parsed = PATCH.safeParse(body);
  if (!parsed.success) throw fail('invalidSyntax', 'The operations cannot be read');
  const result = structuredClone(resource);
  for (const operation of parsed.data.Operations) apply(kind, result, operation);
  return result;
}

function apply(kind: Kind, resource: Complex, operation: Operation): void {
  const { op, path, value } = operation;
  if (path !== undefined) {
    const target = targetOf(kind, path);
    if (target) change(resource, target, op, value);
    return;
  }
  if (op === 'remove') throw fail('noTarget', 'A removal needs a path');
  if (!isComplex(value)) throw fail('invalidValue', 'An operation without a path needs an object');
  for (const [name, one] of Object.entries(value)) {
    if (name.toLowerCase() === 'schemas' || isExtension(name)) continue;
    const target = targetOf(kind, name);
    if (target) change(resource, target, op, one);
  }
}

/** A whole extension, such as that for enterprises. */
const isExtension = (name: string): boolean => /^urn:.*:\d+\.\d+:[A-Za-z]+$/.test(name);

/** @returns undefined for an attribute that is not stored @throws ScimFailed invalidPath, mutability */
function targetOf(kind: Kind, path: string): Target | undefined {
  const parts = /^(urn:[\w.:-]+:)?([A-Za-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([A-Za-z$][\w$-]*))?$/.exec(path);
  if (!parts) throw fail('invalidPath', 'The path cannot be read');
  const [, schema, name = '', filter, sub] = parts;
  if (schema !== undefined && !/:core:2\.0:(User|Group):$/i.test(schema)) return undefined;
  const attribute = ATTRIBUTE_NAMES[kind].get(name.toLowerCase());
  if (attribute === undefined) {
    if (NOT_KEPT.has(name.toLowerCase())) return undefined;
    throw fail('invalidPath', `There is no attribute ${name}`);
  }
  if (READ_ONLY.has(attribute)) throw fail('mutability', `${attribute} is read only`);
  if (filter !== undefined && !MULTI_VALUED.has(attribute))
    throw fail('invalidPath', `${attribute} has one value`);
  return {
    attribute,
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
    ...(sub ? { sub } : {}),
  };
}

function change(resource: Complex, target: Target, op: Operation['op'], value: unknown): void {
  if (MULTI_VALUED.has(target.attribute)) changeValues(resource, target, op, value);
  else if (target.sub !== undefined) {
    const complex = isComplex(resource[target.attribute]) ? (resource[target.attribute] as Complex) : {};
    resource[target.attribute] = withSub(complex, target.sub, op, value);
  } else if (op === 'remove') delete resource[target.attribute];
  else if (op === 'add' && isComplex(value) && isComplex(resource[target.attribute]))
    resource[target.attribute] = { ...(resource[target.attribute] as Complex), ...value };
  else resource[target.attribute] = value;
}

function changeValues(resource: Complex, target: Target, op: Operation['op'], value: unknown): void {
  const { attribute, filter, sub } = target;
  const values = (resource[attribute] as Complex[] | undefined) ?? [];
  const given = (value === undefined ? [] : [value].flat()).map((one) =>
    isComplex(one) ? one : { value: one },
  );
  if (filter === undefined && sub === undefined) {
    resource[attribute] =
      op === 'replace' ? given : op === 'add' ? union(values, given) : without(values, value, given);
    return;
  }
  const isMeant = (one: Complex): boolean => filter === undefined || matches(filter, one);
  if (op === 'remove' && sub === undefined) resource[attribute] = values.filter((one) => !isMeant(one));
  else if (values.some(isMeant))
    resource[attribute] = values.map((one) => {
      if (!isMeant(one)) return one;
      return sub === undefined ? { ...one, ...given[0] } : withSub(one, sub, op, value);
    });
  else if (op === 'add') resource[attribute] = [...values, newValue(filter, sub, value)];
  else if (op === 'replace') throw fail('noTarget', `Nothing of ${attribute} is meant by the filter`);
}

/** A new value with the attributes of the filter. */
function newValue(filter: Filter | undefined, sub: string | undefined, value: unknown): Complex {
  const described = filter?.op === 'eq' ? { [filter.attrPath]: filter.compValue } : {};
  if (sub !== undefined) return withSub(described, sub, 'add', value);
  return isComplex(value) ? { ...described, ...value } : { ...described, value };
}

function withSub(complex: Complex, sub: string, op: Operation['op'], value: unknown): Complex {
  const others = Object.entries(complex).filter(([name]) => name.toLowerCase() !== sub.toLowerCase());
  const known = Object.keys(complex).find((name) => name.toLowerCase() === sub.toLowerCase()) ?? sub;
  return Object.fromEntries(op === 'remove' ? others : [...others, [known, value]]);
}

function union(values: readonly Complex[], added: readonly Complex[]): Complex[] {
  const known = new Set(values.map(({ value }) => value));
  return [...values, ...added.filter(({ value }) => !known.has(value))];
}

/** Removes the matching values; all of them if no value is given. */
function without(values: readonly Complex[], value: unknown, given: readonly Complex[]): Complex[] {
  if (value === undefined) return [];
  const gone = new Set(given.map((one) => one.value));
  return values.filter((one) => !gone.has(one.value));
}

const isComplex = (value: unknown): value is Complex =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
