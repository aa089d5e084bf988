import { Inject, Injectable } from '@nestjs/common';
import { PartnerMessenger } from '#federation/client';
import {
  sendMessage,
  type DeliveryOutcome,
  type DeliverySender,
  type OutboundPorts,
  type OutgoingMessage,
} from '#federation/exchange';
import { PartnerShareRepository, type PeerRow } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import { ReachedPartners } from './reached-partners';

/** Brings messages to partners by the rules of the exchange, through the one guarded client. */
@Injectable()
export class PartnerDeliverySender implements DeliverySender, OutboundPorts<PeerRow> {
  constructor(
    readonly partners: ReachedPartners,
    readonly messenger: PartnerMessenger,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    readonly tokens: PartnerShareRepository,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Known when the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  get offerTimeoutMs(): number {
    return this.config.FEDERATION_OFFER_TIMEOUT;
  }

  send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    return sendMessage(this, message, signal);
  }
}
