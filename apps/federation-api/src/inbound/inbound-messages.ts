import { Injectable } from '@nestjs/common';
import { takeNotice, takeOffer, type Prove, type SenderCheck, type TakenOffer } from '#federation/exchange';
import type { PartnerNotice, ReshareGrant, ShareOffer } from '#federation/protocol';
import { inSpan } from '#platform';
import { InboundAdapters } from './inbound-adapters';

/** Handles messages of partners by the rules of the exchange. */
@Injectable()
export class InboundMessages {
  constructor(private readonly ports: InboundAdapters) {}

  /** @throws FederationRefused */
  takeOffer(read: () => ShareOffer, prove: Prove): Promise<TakenOffer> {
    return inSpan('take offer', { kind: 'internal' }, () => takeOffer(this.ports, read, prove));
  }

  /** @throws FederationRefused */
  takeNotice(notice: PartnerNotice, check: SenderCheck): Promise<ReshareGrant | undefined> {
    return inSpan(`take ${notice.kind}`, { kind: 'internal' }, () => takeNotice(this.ports, notice, check));
  }
}
