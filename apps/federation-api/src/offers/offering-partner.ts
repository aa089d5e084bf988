import { Inject, Injectable } from '@nestjs/common';
import { FederationRefused } from '#federation/protocol';
import type { PeerRow } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { PeerInquiries, QueueAway } from '#queue';

/** An offer waits no longer until it is known what its server is. */
const LIMIT_MS = 3000;

/**
 * Finds out whether the server that offers something is a partner at all. A worker asks it: once, however many offers
 * there are, and not again while a failure is remembered. Only hosts that the policy names get here, so strangers
 * cause no questions.
 */
@Injectable()
export class OfferingPartner {
  constructor(
    private readonly inquiries: PeerInquiries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws FederationRefused temporarily-unavailable when it cannot be found out in time */
  async assertKnown(peer: PeerRow): Promise<void> {
    if (isKnown(peer)) return;
    const found = await this.inquire(peer.hostKey);
    if (!found || !isKnown(found)) throw new FederationRefused('temporarily-unavailable');
  }

  private async inquire(hostKey: string): Promise<PeerRow | undefined> {
    try {
      return await this.inquiries.profileOf(hostKey, LIMIT_MS);
    } catch (error) {
      if (!(error instanceof QueueAway))
        this.logger.warn({ err: error, partner: hostKey }, 'nobody can be asked what a partner is');
      return undefined;
    }
  }
}

/** A partner that was one before is not doubted while its server is away. */
const isKnown = ({ profile, pinnedProfile, trust }: PeerRow): boolean =>
  profile !== null || pinnedProfile !== null || trust !== 'unknown';
