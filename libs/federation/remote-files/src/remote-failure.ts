/**
 * Failures between us and a partner's files. - `barred`: not asked, since its files were away a moment ago -
 * `unreachable`: no answer, none in time, 5xx, 429, or our own rules forbid the address; it may work later -
 * `not-understood`: an answer, but not one that WebDAV servers give (a web page, broken XML, half a file) - `denied`:
 * 401 or 403 for the share itself: its secret does not count (any more) - `missing`: 404: there is nothing at this path
 * - `forbidden`: the partner forbids this operation on this entry - `exists`, `conflict`, `locked`,
 * `precondition-failed`, `no-space`: as WebDAV says (405, 409, 423, 412, 507)
 */
export type RemoteFailureCode =
  | 'barred'
  | 'unreachable'
  | 'not-understood'
  | 'denied'
  | 'missing'
  | 'forbidden'
  | 'exists'
  | 'conflict'
  | 'locked'
  | 'precondition-failed'
  | 'no-space';

/**
 * Whether the partner was there: it answered, whatever; it was not there; something in front of it or behind it was not (502 to 504); it
 * was waited for without success; it was not asked.
 */
export type ContactResult = 'answered' | 'away' | 'gap' | 'silent' | 'none';

/** A partner's files could not be had. Says nothing secret. */
export class RemoteFailure extends Error {
  constructor(
    readonly code: RemoteFailureCode,
    /** Canonical host of the partner. */
    readonly hostKey: string,
    /** For operators: the failure, such as `HTTP 500` or `timeout`. */
    readonly detail: string,
    /** When the partner asked to be asked again; undefined where it did not say. */
    readonly retryAfterSeconds?: number,
    readonly contact: ContactResult = 'answered',
  ) {
    super(`${hostKey}: ${detail}`);
  }
}
