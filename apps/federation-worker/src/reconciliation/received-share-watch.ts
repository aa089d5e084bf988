import { Inject, Injectable } from '@nestjs/common';
import { watchRound } from '#federation/exchange';
import { LOGGER, type Logger } from '#platform';
import { StoredShareWatch } from './stored-share-watch';

/** Rounds over received shares, one after the other where somebody waits for one. */
@Injectable()
export class ReceivedShareWatch {
  private readonly logger: Logger;
  private woken: Promise<void> | undefined;
  private isWokenAgain = false;

  constructor(
    private readonly shares: StoredShareWatch,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'share-watch' });
  }

  /** Probes some of what is due. */
  round(): Promise<void> {
    return watchRound(this.shares);
  }

  /** A share became due that somebody waits for: a round is made now, or once more after the one under way. */
  wake(): void {
    if (this.woken) {
      this.isWokenAgain = true;
      return;
    }
    this.woken = this.round()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'received shares could not be probed'))
      .finally(() => {
        this.woken = undefined;
        if (this.isWokenAgain && !this.shares.isStopped()) this.wake();
      });
    this.isWokenAgain = false;
  }

  stop(): void {
    this.shares.stop();
  }
}
