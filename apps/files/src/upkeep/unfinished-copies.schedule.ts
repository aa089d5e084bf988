import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { UnfinishedCopies } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Removes copies between servers whose process died, once an hour. Several replicas may do so at once: each takes others. */
@Injectable()
export class UnfinishedCopiesSchedule extends UpkeepSchedule {
  constructor(
    private readonly copies: UnfinishedCopies,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 60_000, everyMs: 3_600_000 });
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const ended = await this.copies.removeDead(signal);
    if (ended > 0) this.logger.info({ subsystem: 'moves', ended }, 'unfinished copies were looked at');
  }

  protected failed(error: unknown): void {
    this.logger.error({ subsystem: 'moves', err: error }, 'unfinished copies could not be removed');
  }
}
