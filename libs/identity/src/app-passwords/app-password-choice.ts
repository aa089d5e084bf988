import type { AppPasswordChoice } from '#persistence';
import { isAppPasswordScope, type AppPasswordScope } from './app-password-rights';
import { AppPasswordRefused } from './app-password-refused';

const MAX_NAME_CHARACTERS = 128;
const MAX_YEARS = 100;
const UNKNOWN_CLIENT = 'unknown client';

/** Scopes of app passwords that clients make themselves. */
const CLIENT_SCOPES: readonly AppPasswordScope[] = ['files', 'sharing'];

/** The requested properties of an app password. */
export interface WantedAppPassword {
  readonly name: unknown;
  readonly scopes: unknown;
  readonly readOnly: unknown;
  /** ISO 8601; null for none. */
  readonly expiresAt: unknown;
}

/** @throws AppPasswordRefused `name-refused`, `scopes-refused` or `expiry-refused` */
export function parseChoice({ name, scopes, readOnly, expiresAt }: WantedAppPassword): AppPasswordChoice {
  const text = typeof name === 'string' ? printable(name) : '';
  if (text === '' || [...text].length > MAX_NAME_CHARACTERS)
    throw new AppPasswordRefused('name-refused', `The name needs 1 to ${MAX_NAME_CHARACTERS} characters`);
  const wanted: unknown[] = Array.isArray(scopes) ? scopes : [];
  const known = wanted.filter((scope) => typeof scope === 'string' && isAppPasswordScope(scope)) as string[];
  if (known.length === 0 || known.length !== wanted.length)
    throw new AppPasswordRefused('scopes-refused', 'Choose what the app password is for');
  return {
    name: text,
    scopes: [...new Set(known)],
    readOnly: readOnly === true,
    expiresAt: parseExpiry(expiresAt),
  };
}

/**
 * Properties of an app password that a client makes itself: without expiry, for files and sharing.
 * @param name of any length, as sent
 * @param administers whether it may also administer
 */
export function choiceOfClient(name: string | undefined, administers = false): AppPasswordChoice {
  const text = [...printable(name ?? '')].slice(0, MAX_NAME_CHARACTERS).join('').trim();
  return {
    name: text === '' ? UNKNOWN_CLIENT : text,
    scopes: administers ? [...CLIENT_SCOPES, 'administration'] : CLIENT_SCOPES,
    readOnly: false,
    expiresAt: null,
  };
}

function parseExpiry(given: unknown): Date | null {
  if (given === undefined || given === null || given === '') return null;
  const at =
    typeof given === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,15}(?:Z|[+-]\d\d:\d\d)$/.test(given)
      ? Date.parse(given)
      : NaN;
  const limit = new Date();
  limit.setUTCFullYear(limit.getUTCFullYear() + MAX_YEARS);
  if (!(at > Date.now() && at < limit.getTime()))
    throw new AppPasswordRefused('expiry-refused', 'The end has to be a time in the future');
  return new Date(at);
}

/** Removes NUL, which Postgres does not accept: clients may use any name. */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim();
