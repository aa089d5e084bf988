export type AuthenticationFailure =
  | 'missing'
  | 'wrong'
  | 'disabled'
  | 'throttled'
  | 'busy'
  | 'not-granted'
  | 'second-factor-needed';

/**
 * Reason why a request has no identity. Edges map it to 401, 429 or 503 of their protocol. Two reasons become 403:
 * `not-granted`, if an app password lacks
 * the scope, and `second-factor-needed`, if the account of a session has to set up its second factor first.
 */
export class AuthenticationFailed extends Error {
  constructor(
    readonly reason: AuthenticationFailure,
    /** Pause before another attempt, for `throttled` and `busy`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`authentication failed: ${reason}`);
  }
}
