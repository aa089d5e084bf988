import type { Dialect, PartnerMessage, PeerProfile } from '#federation/protocol';
import type { PolicySource, RegardedPartner } from '#sharing';
import type { DeliveryReport } from './delivery-report';
import type { ProfileFound } from './profile-found';
import type { Secrets } from './secrets';

/** A partner that gets messages. */
export interface OutboundPartner extends RegardedPartner {
  readonly id: number;
}

/** Partners as messages to them need them. */
export interface OutboundPartners<Partner extends OutboundPartner> {
  find(peerId: number): Promise<Partner | undefined>;
  /** How the partner is spoken to: found out where it is not known. */
  profileOf(partner: Partner, signal: AbortSignal): Promise<ProfileFound>;
  /** Keeps the dialect that the partner took. */
  keepProven(partner: Partner, profile: PeerProfile, dialect: Dialect): Promise<void>;
  /** Has the partner discovered again at the next use. */
  rediscover(partner: Partner): Promise<void>;
  /** The user id, as its server gave it, of the contact behind a share of ours; undefined where its recipient is none. */
  contactBehind(shareId: number): Promise<string | undefined>;
}

/** Demands of a share of ours on the server of its recipient. */
export interface ShareDemands {
  /** Its secret is exchanged for an access token. */
  readonly exchange: boolean;
  /** It opens to people with a second factor only. */
  readonly secondFactor: boolean;
}

interface TokenDemands {
  demandsOf(shareId: number): Promise<ShareDemands>;
  demandExchange(shareId: number): Promise<void>;
}

interface SendLimits {
  readonly idempotencyKey: string;
  /** Milliseconds for each request. */
  readonly answerMs: number;
  readonly signal: AbortSignal;
}

/** Everything that a message is sent with. */
export interface OutboundPorts<Partner extends OutboundPartner = OutboundPartner> {
  readonly policy: PolicySource;
  readonly partners: OutboundPartners<Partner>;
  readonly tokens: TokenDemands;
  readonly messenger: {
    /** Never throws for what a partner does. */
    send(message: PartnerMessage, profile: PeerProfile, limits: SendLimits): Promise<DeliveryReport>;
  };
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'lookup'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
  /** Milliseconds that a partner which keeps every copy of an offer has for its answer. */
  readonly offerTimeoutMs: number;
}
