import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';

/** Browsers accept a cookie with this name only from this host, over TLS or from their own machine, for all its paths. */
const SESSION_COOKIE = '__Host-drawbridge';
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;
const MAX_HEADER_CHARACTERS = 8192;

/** A random secret in base64url, which only one browser's cookie contains. */
export const newSessionSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Digest with which the session of a secret is found. A fast digest is enough, because the secret is random. */
export const hashOfSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Secret in the `Cookie` header of a request; undefined if there is none. */
export function readSessionSecret(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
  const secret = parseCookie(header)[SESSION_COOKIE];
  return secret !== undefined && SECRET.test(secret) ? secret : undefined;
}

const ATTRIBUTES = {
  name: SESSION_COOKIE,
  path: '/',
  httpOnly: true,
  secure: true,
  sameSite: 'lax',
} as const;

/** `Set-Cookie` that signs a browser in. */
export const sessionCookie = (secret: string, maxAgeSeconds: number): string =>
  stringifySetCookie({ ...ATTRIBUTES, value: secret, maxAge: maxAgeSeconds });

/** `Set-Cookie` that removes the cookie. */
export const noSessionCookie = (): string => stringifySetCookie({ ...ATTRIBUTES, value: '', maxAge: 0 });

/**
 * Token that our pages send with every changing request, in the header `requesttoken` or a form field of that name.
 * It is derived from the secret, which no page can read, so other pages cannot know it.
 */
export const requestTokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('requesttoken').digest('base64url');

/** Whether `given` is the token of this secret, in constant time. */
export function isRequestToken(secret: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const [expected, actual] = [Buffer.from(requestTokenOf(secret)), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
