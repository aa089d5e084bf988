const RETRY_AFTER_SECONDS = 5;

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

/**
 * A request that failed after it was cut, since the process ends: by whatever it missed then. There is no reader of its
 * answer.
 */
export class CutOff extends Unavailable {
  constructor(cause: unknown) {
    super('the process ends', RETRY_AFTER_SECONDS, { cause });
  }
}

/**
 * A request that failed when its client had gone away in the middle of it: such an error is no failure of the product,
 * and there is no reader of its answer.
 */
export class ClientGone extends Error {
  readonly statusCode = 400;

  constructor(cause: unknown) {
    super('the client broke off its request', { cause });
  }
}
