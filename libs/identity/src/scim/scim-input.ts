import { z } from 'zod';
import { ScimFailed } from './scim-failed';
import { ATTRIBUTE_NAMES, GROUP_SCHEMA, USER_SCHEMA } from './scim-schemas';

const MAX_NAME = 256;
const MAX_VALUES = 10_000;

/** The database takes neither NUL nor halves of characters. */
const text = z
  .string()
  .max(MAX_NAME)
  .regex(/^[^\0\p{Cs}]*$/u);
/** Absent and null mean the same (RFC 7643, section 2.5). */
const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? undefined);
/** Some directories send booleans as texts. */
const flag = z.union([
  z.boolean(),
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(['true', 'false']))
    .transform((value) => value === 'true'),
]);

const PERSON_NAME = z.object({
  formatted: optional(text),
  familyName: optional(text),
  givenName: optional(text),
  middleName: optional(text),
  honorificPrefix: optional(text),
  honorificSuffix: optional(text),
});

const USER = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(USER_SCHEMA)),
  externalId: optional(text),
  userName: text.min(1),
  displayName: optional(text),
  name: optional(PERSON_NAME),
  active: optional(flag),
  emails: optional(z.array(z.object({ value: optional(text), primary: optional(flag) })).max(20)),
});

const GROUP = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(GROUP_SCHEMA)),
  externalId: optional(text),
  displayName: text.min(1),
  members: optional(z.array(z.object({ value: z.uuid() })).max(MAX_VALUES)),
});

/** A user in a client's request. */
export interface ScimUserInput {
  readonly userName: string;
  readonly externalId: string | null;
  /** Built from the parts of the name if it is missing; empty if there are none. */
  readonly displayName: string;
  readonly personName: Readonly<Record<string, string>> | null;
  /** undefined: not sent. */
  readonly active: boolean | undefined;
  /** Empty for none. */
  readonly email: string;
}

/** A group in a client's request. */
export interface ScimGroupInput {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Ids of resources. */
  readonly members: readonly string[];
}

/** @throws ScimFailed 400 invalidValue */
export function parseUser(body: unknown): ScimUserInput {
  const user = read(USER, 'User', body);
  const name = Object.fromEntries(
    Object.entries(user.name ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const emails = user.emails ?? [];
  return {
    userName: user.userName,
    externalId: user.externalId ?? null,
    displayName: user.displayName ?? name.formatted ?? joined(name.givenName, name.familyName),
    personName: Object.keys(name).length === 0 ? null : name,
    active: user.active,
    email: (emails.find(({ primary }) => primary) ?? emails[0])?.value ?? '',
  };
}

/** @throws ScimFailed 400 invalidValue */
export function parseGroup(body: unknown): ScimGroupInput {
  const { displayName, externalId, members } = read(GROUP, 'Group', body);
  return { displayName, externalId: externalId ?? null, members: (members ?? []).map(({ value }) => value) };
}

function read<T extends z.ZodType>(shape: T, kind: 'User' | 'Group', body: unknown): z.infer<T> {
  const parsed = shape.safeParse(inOwnSpelling(kind, body));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ScimFailed(400, `${issue?.path.join('.') || 'The body'} cannot be read`, 'invalidValue');
}

/** Names of attributes are not case-sensitive. */
function inOwnSpelling(kind: 'User' | 'Group', body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const spelled = (name: string): string => ATTRIBUTE_NAMES[kind].get(name.toLowerCase()) ?? name;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [spelled(name), value as unknown]));
}

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ');
