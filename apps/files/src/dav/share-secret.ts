import { readBasic } from '#identity';

/** The secret of a share in a request. */
export interface ShareSecret {
  readonly token: string;
  /** Empty if none was sent. */
  readonly password: string;
  /** Whether it was sent as `Bearer`, which only servers do; otherwise it is the user name of Basic credentials. */
  readonly isBearer: boolean;
}

const MAX_HEADER_CHARACTERS = 2048;
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

/** The secret in an Authorization header; undefined if there is none. */
export function readShareSecret(header: string | undefined): ShareSecret | undefined {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
  const bearer = BEARER.exec(header)?.[1];
  if (bearer !== undefined) return { token: bearer, password: '', isBearer: true };
  const basic = readBasic(header);
  return basic && { token: basic.uid, password: basic.password, isBearer: false };
}
