import { isLikeAppPassword } from '../app-passwords/app-password-secret';
import type { Credentials } from './main-passwords';

const MAX_HEADER_CHARACTERS = 2048;
/** Long enough for tokens with many groups. */
const MAX_TOKEN_CHARACTERS = 12_288;
const SCHEME = /^bearer /i;
/** ownCloud's clients send app passwords as `token`, Nextcloud's also as `Bearer`. */
const TOKEN = /^(?:token|bearer) +(\S+) *$/i;

/** Credentials of a request: a user id and a password, or an app password alone. */
export type RequestCredentials = Credentials | { readonly uid: undefined; readonly password: string };

/** Reads an `Authorization` header; undefined for a kind with which accounts do not sign in. */
export function readCredentials(header: string | undefined): RequestCredentials | undefined {
  const basic = readBasic(header);
  if (basic || !header || header.length > MAX_HEADER_CHARACTERS) return basic;
  const token = TOKEN.exec(header)?.[1];
  return token !== undefined && isLikeAppPassword(token) ? { uid: undefined, password: token } : undefined;
}

/** Token of `Bearer <token>`, unless it is an app password; undefined for other headers. */
export function readBearer(header: string | undefined): string | undefined {
  if (!header || header.length > MAX_TOKEN_CHARACTERS) return undefined;
  if (!SCHEME.test(header)) return undefined;
  const token = header.slice('bearer '.length).trim();
  return token === '' || token.includes(' ') || isLikeAppPassword(token) ? undefined : token;
}

/**
 * Whether a request contains only an app password, as ownCloud's clients send it. Neither deployed servers nor this
 * one accept that for WebDAV.
 */
export const isTokenAlone = (header: string | undefined): boolean => /^token /i.test(header ?? '');

/** User id and password of `Basic <base64>`; undefined for other headers. */
export function readBasic(header: string | undefined): Credentials | undefined {
  if (!header || header.length > MAX_HEADER_CHARACTERS || !/^basic /i.test(header)) return undefined;
  const text = Buffer.from(header.slice(6), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\0')) return undefined;
  return { uid: text.slice(0, colon), password: text.slice(colon + 1) };
}
