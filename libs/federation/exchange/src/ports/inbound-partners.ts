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

/** Names under which people of a partner can be known. */
export interface PersonNames {
  readonly users: readonly string[];
  readonly persons: readonly string[];
}

/** Partners as their messages need them. */
export interface InboundPartners {
  find(hostKey: string): Promise<KnownPartner | undefined>;
  /** Decisions about the host of this address; undefined for an unknown host. */
  regarded(hostKey: string): Promise<Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined>;
  /** The partner at this address, entered when it is new. */
  ensure(hostKey: string): Promise<KnownPartner>;
  /** Whether it is known, or found out in a short time, that it is a partner at all. */
  isPartner(partner: KnownPartner): Promise<boolean>;
  /** Whether the user has a contact of one of these names at the partner. */
  hasContact(uid: string, peerId: number, names: PersonNames): Promise<boolean>;
  /** Whether the user wants no offers of one of these people, or of everybody at one of these hosts. */
  isBlocked(uid: string, hosts: readonly string[], people: readonly string[]): Promise<boolean>;
  /** Partners of a share of ours. @param side `requester`: the one that asked for the share */
  ofOurs(
    shareId: number,
    key: Buffer | null,
    side: 'recipient' | 'requester',
  ): Promise<readonly NoticePartner[]>;
  /** Partners that offered a share under this id. */
  ofReceived(providerId: string, key: Buffer | null): Promise<readonly NoticePartner[]>;
  /** From now on the message counts as this partner's: so the audit log has it. */
  actAs(partner: { readonly hostKey?: string | undefined; readonly peerId?: number | undefined }): void;
}
