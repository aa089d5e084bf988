import { parseCookie, stringifySetCookie } from 'cookie';

const NAME = '__Host-drawbridge-issuer';
const MAX_HEADER_CHARACTERS = 8192;
const MINUTES = 10;
/** `lax`, because the issuer sends the browser back from another site. */
const ATTRIBUTES = { name: NAME, path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;

/** `Set-Cookie` for the note of a sign-in at the issuer. */
export const issuerNoteCookie = (note: string): string =>
  stringifySetCookie({ ...ATTRIBUTES, value: note, maxAge: MINUTES * 60 });

/** The note in a `Cookie` header; empty if there is none. */
export const readIssuerNote = (header: string | undefined): string =>
  header === undefined || header.length > MAX_HEADER_CHARACTERS ? '' : (parseCookie(header)[NAME] ?? '');
