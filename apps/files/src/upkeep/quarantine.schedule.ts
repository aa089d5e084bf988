import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { Quarantine } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Removes uploads from the quarantine after the time in the settings, once an hour. */
@Injectable()
export class QuarantineSchedule extends UpkeepSchedule {
  constructor(
    private readonly quarantine: Quarantine,
    private readonly policy: CachedPolicy,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 120_000, everyMs: 3_600_000 });
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { days } = (await this.policy.current()).scanning.quarantine;
    if (days === 0) return;
    const removed = await this.quarantine.removeOld(days, signal);
    if (removed > 0)
      this.logger.info({ subsystem: 'scanning', removed }, 'old uploads removed from quarantine');
  }

  protected failed(error: unknown): void {
    this.logger.error(
      { subsystem: 'scanning', err: error },
      'old uploads could not be removed from quarantine',
    );
  }
}
