import { Inject, Injectable } from '@nestjs/common';
import { watchRound } from '#federation/exchange';
import { LOGGER, type Logger } from '#platform';
import { StoredShareWatch } from './stored-share-watch';

/** Probing rounds over received shares. If a user waits, another round follows at once. */
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

  /** Probes some of the due shares. */
  round(): Promise<void> {
    return watchRound(this.shares);
  }

  /** A share of this partner became due for which a user waits: a round is made now, or once more after the running one. */
  wake(peerId: number): void {
    this.shares.expect(peerId);
    this.goOn();
  }

  private goOn(): void {
    if (this.woken) {
      this.isWokenAgain = true;
      return;
    }
    this.woken = this.round()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'received shares could not be probed'))
      .finally(() => {
        this.woken = undefined;
        if (this.isWokenAgain && !this.shares.isStopped()) this.goOn();
      });
    this.isWokenAgain = false;
  }

  /** Begins no more probes. Resolves when the round that was woken has ended. */
  async stop(): Promise<void> {
    this.shares.stop();
    await this.woken;
  }
}
