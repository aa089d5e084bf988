import { Inject, Injectable } from '@nestjs/common';
import { isKnownPartner } from '#federation/exchange';
import type { PeerRow } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { PeerInquiries, QueueAway } from '#queue';

/** Maximum time that an offer waits for the discovery of its server. */
const LIMIT_MS = 3000;

/**
 * Finds out whether the server of an offer is a partner at all. A worker asks it once, however many offers
 * there are, and not again while a failure is remembered. Only hosts that the policy names reach this point, so strangers
 * cause no requests.
 */
@Injectable()
export class OfferingPartner {
  constructor(
    private readonly inquiries: PeerInquiries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** false if it cannot be found out in time. */
  async isPartner(hostKey: string): Promise<boolean> {
    const found = await this.inquire(hostKey);
    return (
      found !== undefined &&
      isKnownPartner(found.profile !== null || found.pinnedProfile !== null, found.trust)
    );
  }

  private async inquire(hostKey: string): Promise<PeerRow | undefined> {
    try {
      return await this.inquiries.profileOf(hostKey, LIMIT_MS);
    } catch (error) {
      if (!(error instanceof QueueAway))
        this.logger.warn({ err: error, partner: hostKey }, 'the discovery of a partner could not be queued');
      return undefined;
    }
  }
}
