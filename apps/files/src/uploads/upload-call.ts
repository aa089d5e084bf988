import type { FastifyRequest } from 'fastify';
import { pathOfTarget } from '#platform';
import { DavFailure, decodeSegment } from '#storage';
import { RequestNote } from '../dav/request-note';

/** A request to `remote.php/dav/uploads`: the list of the user's own uploads, one upload, or one of its parts. */
export interface UploadCall {
  readonly uid: string;
  /** Percent-encoded address of the resource, without a trailing slash. */
  readonly base: string;
  /** undefined for the list of all uploads. */
  readonly upload: string | undefined;
  /** A part, or `.file` for all of them together; undefined for the upload itself. */
  readonly piece: string | undefined;
}

/** Name of all parts together, which is moved to the file's place. */
export const WHOLE_FILE = '.file';

const DEPTH_OF_USER = 3;
const MAX_NAME_BYTES = 200;

/** Reads the address of a request to `remote.php/dav/uploads/{user}/{upload}/{piece}`. @throws DavFailure */
export function readUploadAddress(
  url: string,
): Omit<UploadCall, 'uid'> & { readonly uid: string | undefined } {
  const encoded = pathOfTarget(url)
    .split('/')
    .filter((segment) => segment !== '');
  const [uid, upload, piece, more] = encoded.slice(DEPTH_OF_USER).map(decodeSegment);
  if (more !== undefined) throw new DavFailure('not-found', 'An upload has no folders');
  for (const name of [upload, piece]) assertName(name);
  return { uid, upload, piece, base: `/${encoded.join('/')}` };
}

function assertName(name: string | undefined): void {
  if (name === undefined) return;
  const isSpecial = name === '.' || name === '..' || /\p{Cc}/u.test(name);
  if (isSpecial || Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new DavFailure('bad-request', 'No upload and no piece of one can have this name');
}

export const UPLOAD_CALLS = new RequestNote<UploadCall>('UploadAccessGuard');

/** The parsed request; only to be called behind UploadAccessGuard. */
export const uploadCallOf = (request: FastifyRequest): UploadCall => UPLOAD_CALLS.of(request);
