import type { DialectRules, Dialects } from './dialect';
import type { Dialect } from './dialect-name';
import { legacy } from './legacy';
import { ocmMulti } from './ocm-multi';
import { ocmWebdav } from './ocm-webdav';

/** The dialects that are spoken: the one place where they are registered. */
export const DIALECTS = {
  'ocm-multi': ocmMulti,
  'ocm-webdav': ocmWebdav,
  legacy,
} as const satisfies Record<Dialect, DialectRules>;

export const DIALECT_NAMES = Object.keys(DIALECTS) as readonly Dialect[];

/** @throws Error for a name that is not registered: a bug */
export function rulesOf(dialects: Dialects, name: string): DialectRules {
  const rules = Object.hasOwn(dialects, name) ? dialects[name] : undefined;
  if (!rules) throw new Error(`there is no dialect ${name}`);
  return rules;
}
