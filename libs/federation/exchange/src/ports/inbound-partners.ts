import type { RegardedPartner } from '#sharing';
import type { SigningHost } from './sender-proof';

/** A registered partner. */
export interface KnownPartner extends RegardedPartner {
  readonly id: number;
}

/** The partner of a share that a message may be about. */
export interface NoticePartner {
  readonly peerId: number;
  readonly hostKey: string;
}

/** Names under which a person at a partner can be known. */
export interface PersonNames {
  readonly users: readonly string[];
  readonly persons: readonly string[];
}

/** The host of an offer, its people, and the accounts that the offer is for. */
export interface OfferParties {
  /** Address of the owner's server. */
  readonly hostKey: string;
  /** Addresses of the servers of owner and sender, in the order of `people`. */
  readonly hosts: readonly string[];
  /** Canonical cloud ids of owner and sender. */
  readonly people: readonly string[];
  readonly uids: readonly string[];
}

/** The known facts about the parties of an offer. */
export interface KnownParties {
  /** The partner at the address of the owner's server; null if it is not registered. */
  readonly peerId: number | null;
  /** Decisions about its host; undefined for an unknown host. */
  readonly regarded: Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined;
  /** undefined for an unknown host. */
  readonly signing: SigningHost | undefined;
  /** Accounts that block offers of these people or of these hosts. */
  readonly blockedBy: readonly string[];
  /** Accounts that are saving a public link of the owner's server, which offers the share because of that. */
  readonly awaitedBy: readonly string[];
}

/** Partners, as their messages need them. */
export interface InboundPartners {
  /** One statement, for however many accounts. */
  partiesOf(offer: OfferParties): Promise<KnownParties>;
  /** Decisions about the host of this address; undefined for an unknown host. */
  regarded(hostKey: string): Promise<Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined>;
  /** The partner at this address. A new one is stored. */
  ensure(hostKey: string): Promise<KnownPartner>;
  /** Whether a partner is at this address, or is found there in a short time. */
  isPartner(hostKey: string): Promise<boolean>;
  /** Whether the user has a contact with one of these names at the partner. */
  hasContact(uid: string, peerId: number, names: PersonNames): Promise<boolean>;
  /** Partners of a share of ours. @param side `requester`: the partner that requested the share */
  ofOurs(
    shareId: number,
    key: Buffer | null,
    side: 'recipient' | 'requester',
  ): Promise<readonly NoticePartner[]>;
  /** Partners that offered a share with this id. */
  ofReceived(providerId: string, key: Buffer | null): Promise<readonly NoticePartner[]>;
  /** Attributes the rest of the message to this partner in the audit log. */
  actAs(partner: { readonly hostKey?: string | undefined; readonly peerId?: number | undefined }): void;
}
