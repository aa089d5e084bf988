import type { RegardedPartner } from '#sharing';

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

/** Partners, as their messages need them. */
export interface InboundPartners {
  find(hostKey: string): Promise<KnownPartner | undefined>;
  /** Decisions about the host of this address; undefined for an unknown host. */
  regarded(hostKey: string): Promise<Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined>;
  /** The partner at this address. A new one is stored. */
  ensure(hostKey: string): Promise<KnownPartner>;
  /** Whether it is known to be a partner, or can be found out in a short time. */
  isPartner(partner: KnownPartner): Promise<boolean>;
  /** Whether the user has a contact with one of these names at the partner. */
  hasContact(uid: string, peerId: number, names: PersonNames): Promise<boolean>;
  /** Whether the user blocks offers of one of these people, or of one of these hosts. */
  isBlocked(uid: string, hosts: readonly string[], people: readonly string[]): Promise<boolean>;
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
