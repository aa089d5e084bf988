/**
 * Failures between us and a partner's files:
 * - `barred`: not asked, because its files were away a moment ago
 * - `unreachable`: no answer, none in time, 5xx, 429, or our own rules forbid the address; it may work later
 * - `not-understood`: an answer that no WebDAV server gives (a web page, broken XML, half a file)
 * - `denied`: 401 or 403 for the share itself: its secret is not valid (any more)
 * - `missing`: 404: there is nothing at this path
 * - `forbidden`: the partner forbids this operation on this entry
 * - `exists`, `conflict`, `locked`, `precondition-failed`, `no-space`: the statuses of WebDAV (405, 409, 423, 412, 507)
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
 * Presence of the partner: it answered in any way; it was away; a server in front of it or behind it was away (502 to 504); it
 * did not answer in time; it was not asked.
 */
export type ContactResult = 'answered' | 'away' | 'gap' | 'silent' | 'none';

/** A failure to access a partner's files. Its text contains no secret. */
export class RemoteFailure extends Error {
  constructor(
    readonly code: RemoteFailureCode,
    /** Canonical host of the partner. */
    readonly hostKey: string,
    /** For operators: the failure, such as `HTTP 500` or `timeout`. */
    readonly detail: string,
    /** Pause that the partner asked for; undefined for none. */
    readonly retryAfterSeconds?: number,
    readonly contact: ContactResult = 'answered',
  ) {
    super(`${hostKey}: ${detail}`);
  }
}
