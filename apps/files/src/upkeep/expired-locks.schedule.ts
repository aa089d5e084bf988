import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { NodeLocks } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Removes ended locks, once an hour; they have no effect before that either. Several replicas may do so at once. */
@Injectable()
export class ExpiredLocksSchedule extends UpkeepSchedule {
  constructor(
    private readonly locks: NodeLocks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 60_000, everyMs: 3_600_000 });
  }

  protected async run(): Promise<void> {
    const removed = await this.locks.removeExpired();
    if (removed > 0) this.logger.info({ subsystem: 'locks', removed }, 'expired locks were removed');
  }

  protected failed(error: unknown): void {
    this.logger.error({ subsystem: 'locks', err: error }, 'expired locks could not be removed');
  }
}
