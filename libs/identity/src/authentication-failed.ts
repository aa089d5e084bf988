export type AuthenticationFailure = 'missing' | 'wrong' | 'disabled' | 'throttled' | 'busy';

/** Why a request has no identity. Edges turn it into 401, 429 or 503 of their protocol. */
export class AuthenticationFailed extends Error {
  constructor(
    readonly reason: AuthenticationFailure,
    /** When another attempt makes sense; for `throttled` and `busy`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`authentication failed: ${reason}`);
  }
}
