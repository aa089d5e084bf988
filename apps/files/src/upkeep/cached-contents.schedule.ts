import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, type Logger } from '#platform';
import { CachedContents } from '#storage';
import { UpkeepSchedule } from './upkeep-schedule';

/** Limits the kept contents of partners' files to their bounds, and removes those whose share has ended. */
@Injectable()
export class CachedContentsSchedule extends UpkeepSchedule {
  constructor(
    private readonly contents: CachedContents,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    super({ firstAfterMs: 10_000, everyMs: 10_000 });
    metrics.gauge(
      'cached_contents',
      'Contents of partners’ files that are kept for those who read them again',
      [],
      async () => [{ labels: {}, value: (await contents.figures()).contents }],
    );
    metrics.gauge('cached_content_bytes', 'Bytes of all of them', [], async () => [
      { labels: {}, value: (await contents.figures()).bytes },
    ]);
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.contents.removeSurplus()) > 0);
  }

  protected failed(error: unknown): void {
    this.logger.error(
      { subsystem: 'cached-contents', err: error },
      'contents of partners’ files that are kept here could not be removed',
    );
  }
}
