import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { UnfinishedUploads } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Removes abandoned uploads, once an hour. Several replicas may do so at once: each takes others. */
@Injectable()
export class ExpiredUploadsSchedule extends UpkeepSchedule {
  constructor(
    private readonly uploads: UnfinishedUploads,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 60_000, everyMs: 3_600_000 });
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const removed = await this.uploads.removeExpired(signal);
    if (removed > 0) this.logger.info({ subsystem: 'uploads', removed }, 'expired uploads removed');
  }

  protected failed(error: unknown): void {
    this.logger.error({ subsystem: 'uploads', err: error }, 'expired uploads could not be removed');
  }
}
