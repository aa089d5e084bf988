import { parseCookie, stringifySetCookie } from 'cookie';

const NAME = '__Host-drawbridge-issuer';
const MAX_HEADER_CHARACTERS = 8192;
const MINUTES = 10;
/** `lax`: the issuer sends the browser back from another site. */
const ATTRIBUTES = { name: NAME, path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;

/** `Set-Cookie` for the note of a sign-in that goes on at the issuer. */
export const issuerNoteCookie = (note: string): string =>
  stringifySetCookie({ ...ATTRIBUTES, value: note, maxAge: MINUTES * 60 });

/** The note in a `Cookie` header; empty where there is none. */
export const readIssuerNote = (header: string | undefined): string =>
  header === undefined || header.length > MAX_HEADER_CHARACTERS ? '' : (parseCookie(header)[NAME] ?? '');
