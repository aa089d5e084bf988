import type { Logger } from './logging';

/** Log lines about an outage: one when it begins and one when it ends, regardless of the number of failures. */
export class OutageLog {
  private began: { readonly atMs: number; failures: number } | undefined;

  /** @param subject such as `the queue`, for "cannot be reached" and "can be reached again" */
  constructor(
    private readonly logger: Logger,
    private readonly subject: string,
    private readonly now: () => number = Date.now,
  ) {}

  get isUnderWay(): boolean {
    return this.began !== undefined;
  }

  /** Notes a failure. @param details of the first failure, for the log line */
  failed(error: unknown, details: Readonly<Record<string, unknown>> = {}): void {
    if (this.began) return void (this.began.failures += 1);
    this.began = { atMs: this.now(), failures: 1 };
    this.logger.warn({ err: error, ...details }, `${this.subject} cannot be reached`);
  }

  /** Notes a success. */
  worked(): void {
    if (!this.began) return;
    const { atMs, failures } = this.began;
    this.began = undefined;
    const seconds = Math.round((this.now() - atMs) / 1000);
    this.logger.info({ seconds, failures }, `${this.subject} can be reached again`);
  }
}
