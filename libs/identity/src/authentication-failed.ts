export type AuthenticationFailure =
  'missing' | 'wrong' | 'disabled' | 'throttled' | 'busy' | 'not-granted' | 'second-factor-needed';

/**
 * Why a request has no identity. Edges turn it into 401, 429 or 503 of their protocol; `not-granted`, of an app password that the
 * request is outside of, and `second-factor-needed`, in a session whose account has to set up its second factor first, into 403.
 */
export class AuthenticationFailed extends Error {
  constructor(
    readonly reason: AuthenticationFailure,
    /** When another attempt makes sense; for `throttled` and `busy`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`authentication failed: ${reason}`);
  }
}
