import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { BlobSweep, SAFE_AGE_MS } from '#storage';

const FIRST_AFTER_MS = 10 * 60_000;
const EVERY_MS = 24 * 3_600_000;

/** Sweeps the blob store once a day. Several replicas may do so at once: each removes what it still finds. */
@Injectable()
export class BlobSweepSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly sweep: BlobSweep,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.runAfter(FIRST_AFTER_MS);
  }

  /** A sweep under way leaves the rest to the next one, before the database is closed. */
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
      const report = await this.sweep.run(SAFE_AGE_MS, signal);
      const line = signal.aborted ? 'the sweep of the blob store was cut short' : 'blob store swept';
      this.logger.info({ subsystem: 'blob-sweep', ...report }, line);
    } catch (error) {
      this.logger.error({ subsystem: 'blob-sweep', err: error }, 'the sweep of the blob store failed');
    }
    if (!signal.aborted) this.runAfter(EVERY_MS);
  }
}
