import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { BlobSweep } from '#storage';

const FIRST_AFTER_MS = 10 * 60_000;
const EVERY_MS = 24 * 3_600_000;

/** Sweeps the blob store once a day. Several replicas may do so at once: each removes what it still finds. */
@Injectable()
export class BlobSweepSchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sweep: BlobSweep,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.runAfter(FIRST_AFTER_MS);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private runAfter(delayMs: number): void {
    this.timer = setTimeout(() => void this.runNow(), delayMs).unref();
  }

  private async runNow(): Promise<void> {
    try {
      const report = await this.sweep.run();
      this.logger.info({ subsystem: 'blob-sweep', ...report }, 'blob store swept');
    } catch (error) {
      this.logger.error({ subsystem: 'blob-sweep', err: error }, 'the sweep of the blob store failed');
    }
    if (this.timer) this.runAfter(EVERY_MS);
  }
}
