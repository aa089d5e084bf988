import { Inject, Injectable } from '@nestjs/common';
import { PartnerMessenger, PeerProfiles } from '#federation/client';
import {
  sendMessage,
  type DeliveryOutcome,
  type DeliverySender,
  type OutboundPartners,
  type OutboundPorts,
  type OutgoingMessage,
} from '#federation/exchange';
import {
  ContactRepository,
  PartnerShareRepository,
  PeerRepository,
  SentShareRequestRepository,
  type PeerRow,
} from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import { DISCOVERY_BUDGET_MS } from './called-partners';

/** Sends messages to partners by the rules of the exchange, through the one guarded client. */
@Injectable()
export class PartnerDeliverySender implements DeliverySender, OutboundPorts<PeerRow> {
  readonly partners: OutboundPartners<PeerRow>;

  constructor(
    peers: PeerRepository,
    contacts: ContactRepository,
    profiles: PeerProfiles,
    readonly messenger: PartnerMessenger,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    readonly tokens: PartnerShareRepository,
    readonly requests: SentShareRequestRepository,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.partners = {
      find: (peerId) => peers.findById(peerId),
      profileOf: (partner, signal) =>
        profiles.of(partner, { signal, budgetMs: DISCOVERY_BUDGET_MS, persistent: true }),
      keepProven: (partner, profile, dialect) => profiles.keepProven(partner, profile, dialect),
      rediscover: (partner) => profiles.forget(partner),
      contactBehind: (shareId) => contacts.userBehindShare(shareId),
    };
  }

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  get offerTimeoutMs(): number {
    return this.config.FEDERATION_OFFER_TIMEOUT;
  }

  send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    return sendMessage(this, message, signal, Date.now());
  }
}
