import type { Dialect, PartnerMessage, PeerProfile } from '#federation/protocol';
import type { PolicySource, RegardedPartner } from '#sharing';
import type { DeliveryReport } from './delivery-report';
import type { ProfileFound } from './profile-found';
import type { Secrets } from './secrets';

/** A partner that receives messages. */
export interface OutboundPartner extends RegardedPartner {
  readonly id: number;
}

/** Partners, as messages to them need them. */
export interface OutboundPartners<Partner extends OutboundPartner> {
  find(peerId: number): Promise<Partner | undefined>;
  /** The partner's profile. An unknown one is discovered. */
  profileOf(partner: Partner, signal: AbortSignal): Promise<ProfileFound>;
  /** Stores the dialect that the partner accepted. */
  keepProven(partner: Partner, profile: PeerProfile, dialect: Dialect): Promise<void>;
  /** Marks the partner for a new discovery at the next use. */
  rediscover(partner: Partner): Promise<void>;
  /** The user id, as its server gave it, of the contact who received a share of ours; undefined if the recipient is no contact. */
  contactBehind(shareId: number): Promise<string | undefined>;
}

/** Demands of a share of ours on its recipient's server. */
export interface ShareDemands {
  /** Its secret has to be exchanged for an access token. */
  readonly exchange: boolean;
  /** It opens only for people with a second factor. */
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

/** Everything that sending a message needs. */
export interface OutboundPorts<Partner extends OutboundPartner = OutboundPartner> {
  readonly policy: PolicySource;
  readonly partners: OutboundPartners<Partner>;
  readonly tokens: TokenDemands;
  /** Requests of our accounts for shares. */
  readonly requests: {
    /** Whether the request was not taken back, and its account may ask. */
    isOpen(requestId: number): Promise<boolean>;
  };
  readonly messenger: {
    /** Never throws for errors of a partner. */
    send(message: PartnerMessage, profile: PeerProfile, limits: SendLimits): Promise<DeliveryReport>;
  };
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'lookup'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
  /** Milliseconds for the answer of a partner that keeps every copy of an offer. */
  readonly offerTimeoutMs: number;
}
