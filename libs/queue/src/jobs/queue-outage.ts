import { OutageLog, type Logger } from '#platform';

const PROBE_EVERY_MS = 1000;

/**
 * Reports outages of the queue, for all connections of this process. Idle connections do not notice that the
 * queue is back, so it is asked: an outage is over when it answers twice without a failure in between.
 */
export class QueueOutage {
  private readonly log: OutageLog;
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private failedLately = false;
  private answered = false;
  private isClosed = false;

  /** @param ask rejects while the queue cannot be reached */
  constructor(
    logger: Logger,
    private readonly ask: () => Promise<unknown>,
    private readonly everyMs = PROBE_EVERY_MS,
  ) {
    this.log = new OutageLog(logger, 'the queue');
  }

  /** Notes a failure on a connection to the queue. */
  failed(error: unknown, details?: Readonly<Record<string, unknown>>): void {
    if (this.isClosed) return;
    this.log.failed(error, details);
    this.failedLately = true;
    this.timer ??= setInterval(() => void this.probe(), this.everyMs).unref();
  }

  /** Stops reporting. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  private async probe(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const isThere = await this.ask().then(
      () => true,
      () => false,
    );
    this.isAsking = false;
    const isOver = isThere && this.answered && !this.failedLately;
    this.answered = isThere;
    this.failedLately = false;
    if (!isOver || this.isClosed) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.answered = false;
    this.log.worked();
  }
}
