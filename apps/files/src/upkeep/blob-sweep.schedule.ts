import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { BlobSweep, SAFE_AGE_MS } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Sweeps the blob store once a day. Several replicas may do so at once: each removes what is left. */
@Injectable()
export class BlobSweepSchedule extends UpkeepSchedule {
  constructor(
    private readonly sweep: BlobSweep,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 10 * 60_000, everyMs: 24 * 3_600_000 });
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const report = await this.sweep.run(SAFE_AGE_MS, signal);
    const line = signal.aborted ? 'the sweep of the blob store was cut short' : 'blob store swept';
    this.logger.info({ subsystem: 'blob-sweep', ...report }, line);
  }

  protected failed(error: unknown): void {
    this.logger.error({ subsystem: 'blob-sweep', err: error }, 'the sweep of the blob store failed');
  }
}
