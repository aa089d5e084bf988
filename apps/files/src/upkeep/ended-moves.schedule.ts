import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '#platform';
import { BackgroundMoves } from '../jobs/background-moves';
import { UpkeepSchedule } from './upkeep-schedule';

/** Deletes the results of old background moves, once an hour. */
@Injectable()
export class EndedMovesSchedule extends UpkeepSchedule {
  constructor(
    private readonly moves: BackgroundMoves,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ firstAfterMs: 90_000, everyMs: 3_600_000 });
  }

  protected run(signal: AbortSignal): Promise<void> {
    return this.moves.removeOld(signal);
  }

  protected failed(error: unknown): void {
    this.logger.error({ subsystem: 'moves', err: error }, 'ended moves could not be removed');
  }
}
