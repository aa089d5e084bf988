import { readBasic } from '#identity';

/** The secret of a share, as a request carries it. */
export interface ShareSecret {
  readonly token: string;
  /** Empty where none was sent. */
  readonly password: string;
  /** As `Bearer`, which only servers send; otherwise it is the user name of Basic credentials. */
  readonly isBearer: boolean;
}

const MAX_HEADER_CHARACTERS = 2048;
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

/** The secret in an Authorization header; undefined when there is none. */
export function readShareSecret(header: string | undefined): ShareSecret | undefined {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
  const bearer = BEARER.exec(header)?.[1];
  if (bearer !== undefined) return { token: bearer, password: '', isBearer: true };
  const basic = readBasic(header);
  return basic && { token: basic.uid, password: basic.password, isBearer: false };
}
