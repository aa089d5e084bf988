import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ShareRepository } from '#persistence';
import { LOGGER, type Logger } from '#platform';

const EVERY_MS = 15 * 60_000;
const BATCH = 500;

/**
 * Deletes expired shares. They are not served before that either.
 * It may run in any number of processes: each takes rows that no other one holds.
 */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly shares: ShareRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): void => {
      this.underWay = this.sweep().then(
        () => undefined,
        (error: unknown) =>
          this.logger.error({ err: error, subsystem: 'expiry' }, 'expired shares were not removed'),
      );
    };
    run();
    this.timer = setInterval(run, EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.underWay;
  }

  /** @returns the number of deleted shares */
  async sweep(): Promise<number> {
    let removed = 0;
    for (let batch = BATCH; batch === BATCH; removed += batch) batch = await this.shares.removeExpired(BATCH);
    if (removed > 0) this.logger.info({ subsystem: 'expiry', removed }, 'expired shares were removed');
    return removed;
  }
}
