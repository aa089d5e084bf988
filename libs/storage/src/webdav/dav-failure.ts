/** A request that breaks the protocol, or asks for what is not offered; edges map each to a status. */
export type DavFailureCode =
  | 'bad-request'
  | 'not-found'
  | 'forbidden'
  | 'method-not-allowed'
  | 'precondition-failed'
  | 'body-too-large'
  /** Bytes of an upload by TUS are not those of their checksum. */
  | 'checksum-mismatch'
  | 'unsupported-media-type'
  | 'range-not-satisfiable'
  | 'not-implemented'
  /** `Depth: infinity` on PROPFIND; RFC 4918 has a body element of its own for it. */
  | 'finite-depth';

/** `message` is safe to show. */
export class DavFailure extends Error {
  constructor(
    readonly code: DavFailureCode,
    message: string,
  ) {
    super(message);
  }
}

export const badRequest = (message: string): DavFailure => new DavFailure('bad-request', message);
