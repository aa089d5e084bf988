/**
 * Something that requests need is away, and is expected back by itself: the database, the queue. Every edge answers 503
 * with Retry-After. `message` is for logs alone.
 */
export class Unavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
