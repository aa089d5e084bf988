const RETRY_AFTER_SECONDS = 5;

/**
 * A required service is away, and will probably return by itself: the database, the queue. Every edge answers 503
 * with Retry-After. `message` is only for logs.
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
 * A request that failed after it was cut, because the process ends and resources are closed. Its answer
 * has no reader.
 */
export class CutOff extends Unavailable {
  constructor(cause: unknown) {
    super('the process ends', RETRY_AFTER_SECONDS, { cause });
  }
}

/**
 * A request that failed after its client disconnected. This is no failure of the product,
 * and nobody reads its answer.
 */
export class ClientGone extends Error {
  readonly statusCode = 400;

  constructor(cause: unknown) {
    super('the client broke off its request', { cause });
  }
}
