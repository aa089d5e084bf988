/** A request that breaks the protocol, or needs a missing feature; edges map each code to a status. */
export type DavFailureCode =
  | 'bad-request'
  | 'not-found'
  | 'forbidden'
  | 'method-not-allowed'
  | 'precondition-failed'
  | 'body-too-large'
  /** The bytes of a TUS upload do not match their checksum. */
  | 'checksum-mismatch'
  | 'unsupported-media-type'
  | 'range-not-satisfiable'
  | 'not-implemented'
  /** `Depth: infinity` on PROPFIND, for which RFC 4918 has a special body element. */
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
