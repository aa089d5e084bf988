import { Inject, Injectable } from '@nestjs/common';
import { ShareWatchRepository, type ClaimedProbe } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { ProbeShare } from './probe-share';
import { PartnerHealth } from './partner-health';

/** A round takes the shares of so many partners at most, so that it ends. */
const PARTNERS_PER_ROUND = 100;
/** One with thousands of shares gets its turn in every round, and no more than that. */
const SHARES_PER_PARTNER = 10;
const PARTNERS_AT_ONCE = 10;
/** Longer than a visit can take. */
const LEASE_MS = 3 * 60_000;
/** A visit ends when the partner was away so many times in a row. */
const AWAY_AT_MOST = 2;
/** A partner that was away for a whole visit is left alone for so long. */
const AWAY_PAUSE_MS = 5 * 60_000;

/**
 * Probes at received shares whose time has come: offers to verify them, accepted ones to refresh what is known of them,
 * doubtful and lost ones to decide about them. Several rounds at once, of whatever workers, take different partners.
 */
@Injectable()
export class ReceivedShareWatch {
  private readonly logger: Logger;
  private isStopped = false;
  private woken: Promise<void> | undefined;
  private isWokenAgain = false;

  constructor(
    private readonly watch: ShareWatchRepository,
    private readonly probeShare: ProbeShare,
    private readonly health: PartnerHealth,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'share-watch' });
  }

  /** Probes at some of what is due; the rest is the next round's. */
  async round(): Promise<void> {
    const claimed = await this.watch.claim(PARTNERS_PER_ROUND, SHARES_PER_PARTNER, LEASE_MS);
    const visits = [...Map.groupBy(claimed, ({ peerId }) => peerId).values()];
    const next = async (): Promise<void> => {
      for (let visit = visits.shift(); visit; visit = visits.shift()) await this.visit(visit);
    };
    await Promise.all(Array.from({ length: PARTNERS_AT_ONCE }, next));
  }

  /** A share became due that somebody waits for: a round is made now, or once more after the one under way. */
  wake(): void {
    if (this.woken) {
      this.isWokenAgain = true;
      return;
    }
    this.woken = this.round()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'no shares could be looked at'))
      .finally(() => {
        this.woken = undefined;
        if (this.isWokenAgain && !this.isStopped) this.wake();
      });
    this.isWokenAgain = false;
  }

  /** Begins no more looks; those under way end soon. */
  stop(): void {
    this.isStopped = true;
  }

  /** Probes at shares of one partner, one after the other. */
  private async visit(shares: readonly ClaimedProbe[]): Promise<void> {
    const { peerId, hostKey } = shares[0]!;
    const isPartnerWell = this.health.during(hostKey);
    let [awayInARow, wasThere] = [0, false];
    try {
      for (const share of shares) {
        if (this.isStopped || awayInARow >= AWAY_AT_MOST) break;
        const { result, isAway } = await this.probeShare.run(share, isPartnerWell);
        if (result === 'refused')
          this.logger.info({ receivedShare: share.receivedShareId, partner: hostKey }, 'a share was refused');
        awayInARow = isAway ? awayInARow + 1 : 0;
        wasThere ||= !isAway;
      }
      await this.watch.leavePartner(peerId, wasThere || this.isStopped ? 0 : AWAY_PAUSE_MS);
    } catch (error) {
      // A failure of our own; the partner's shares are taken anew when the lease ends, and others wait for nothing.
      this.logger.warn({ err: error, partner: hostKey }, 'the shares of a partner could not be looked at');
    }
  }
}
