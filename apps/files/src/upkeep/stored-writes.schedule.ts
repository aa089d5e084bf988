import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, type Logger } from '#platform';
import { WriteDelivery, type ClaimedWrite } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Maximum of simultaneous deliveries per replica. */
const AT_ONCE = 8;

/** Delivers contents that wait for partners when they are due. Several replicas may do so at once: each takes others. */
@Injectable()
export class StoredWritesSchedule extends UpkeepSchedule {
  private readonly deliveries = new Set<Promise<void>>();
  private readonly attempts: ReturnType<Metrics['counter']>;

  constructor(
    private readonly delivery: WriteDelivery,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    super({ firstAfterMs: 1_000, everyMs: 1_000 });
    this.attempts = metrics.counter(
      'stored_write_attempts_total',
      'Attempts to deliver files that wait for partners, by their outcome',
      ['outcome'],
    );
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.all(this.deliveries);
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (this.deliveries.size < AT_ONCE && !signal.aborted) {
      const write = await this.delivery.claim();
      if (!write) return;
      const attempt: Promise<void> = this.deliver(write, signal).finally(() =>
        this.deliveries.delete(attempt),
      );
      this.deliveries.add(attempt);
    }
  }

  protected failed(error: unknown): void {
    this.logger.error(
      { subsystem: 'stored-writes', err: error },
      'files that wait for partners could not be looked for',
    );
  }

  private async deliver(write: ClaimedWrite, signal: AbortSignal): Promise<void> {
    const { id, hostKey: partner, size } = write;
    try {
      const outcome = await this.delivery.deliver(write, signal);
      this.attempts.inc({ outcome });
      if (outcome === 'refused')
        this.logger.info(
          { subsystem: 'stored-writes', write: id, partner, size },
          'a partner refused a file',
        );
    } catch (error) {
      this.attempts.inc({ outcome: 'failed' });
      this.logger.error(
        { subsystem: 'stored-writes', write: id, partner, err: error },
        'a file that waits for a partner could not be delivered',
      );
    }
  }
}
