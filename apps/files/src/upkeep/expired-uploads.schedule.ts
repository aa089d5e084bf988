import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { UnfinishedUploads } from '#storage';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Forgets uploads that nobody went on with, once an hour. Several replicas may do so at once: each takes others. */
@Injectable()
export class ExpiredUploadsSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly uploads: UnfinishedUploads,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.runAfter(FIRST_AFTER_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  private runAfter(delayMs: number): void {
    this.timer = setTimeout(() => void (this.underWay = this.runNow()), delayMs).unref();
  }

  private async runNow(): Promise<void> {
    const { signal } = this.stopping;
    try {
      const removed = await this.uploads.removeExpired(signal);
      if (removed > 0) this.logger.info({ subsystem: 'uploads', removed }, 'expired uploads removed');
    } catch (error) {
      this.logger.error({ subsystem: 'uploads', err: error }, 'expired uploads could not be removed');
    }
    if (!signal.aborted) this.runAfter(EVERY_MS);
  }
}
