import type { NodeKind, ReceivedShareState } from '#sharing';

/** A share that a partner offers to one or several of our users, before it is stored. */
export interface OfferedToUs {
  readonly peerId: number;
  readonly providerId: string;
  readonly tokenHmac: Buffer;
  readonly tokenEnc: Buffer;
  /** Federated cloud ids. */
  readonly owner: string;
  readonly ownerDisplayName: string;
  readonly sender: string;
  readonly senderDisplayName: string;
  readonly name: string;
  readonly description: string;
  /** null if the partner does not name it. */
  readonly kind: NodeKind | null;
  readonly permissions: number;
  readonly expiresAt: Date | null;
  readonly dialect: string;
  /** How the content is accessed, in the form of its dialect. */
  readonly access: Readonly<Record<string, unknown>>;
  /** The sealed secret of its web application; null if it has none, or the same one. */
  readonly webappTokenEnc: Buffer | null;
  readonly verified: boolean;
}

/**
 * Result of storing an offer for one recipient: the id of the new share; `known` if it is there already, `no-room` if the
 * recipient has too many undecided shares.
 */
export type StoredOffer = number | 'known' | 'no-room';

/** A received share that is being changed. */
export interface HeldShare {
  readonly id: number;
  readonly peerId: number;
  readonly recipientUid: string;
  readonly state: ReceivedShareState;
  readonly kind: NodeKind | null;
  readonly permissions: number;
}

/** The failed probe from which on a share counts as doubtful. */
interface Doubt {
  readonly failedProbes: number;
  readonly sinceMs: number;
}

/** Received shares within one transaction. */
export interface ReceivedSharesHeld {
  /** Shares with this id and this lookup key of the secret. */
  lockBySecret(providerId: string, key: Buffer): Promise<readonly HeldShare[]>;
  /** Shares that these partners offered under this id. */
  lockOfPartners(providerId: string, peerIds: readonly number[]): Promise<readonly HeldShare[]>;
  /** Sets the state, and removes the share's notification. */
  end(share: HeldShare, state: ReceivedShareState): Promise<void>;
  changePermissions(id: number, permissions: number): Promise<void>;
  /** @param expiresAt null for none */
  changeExpiry(id: number, expiresAt: Date | null): Promise<void>;
  changeDescription(id: number, description: string): Promise<void>;
  /** Schedules a probe of a mounted share now, unless its root was already seen with this ETag. */
  probeNow(id: number, etag: string): Promise<void>;
  /** Lets the next probe at the owner's server decide whether the share has ended. */
  doubt(share: { readonly providerId: string; readonly tokenHmac: Buffer }, doubt: Doubt): Promise<void>;
}

/** Shares that our users receive. */
export interface ReceivedShareChanges {
  change<T>(work: (shares: ReceivedSharesHeld) => Promise<T>): Promise<T>;
  /**
   * Stores a pending share for each recipient: for all of them, or for none if it fails.
   * @param recipientUids accounts of ours, each once
   * @param subject text for the recipients
   * @returns the result for each recipient, by user id
   */
  insert(
    offer: OfferedToUs,
    recipientUids: readonly string[],
    subject: string,
  ): Promise<ReadonlyMap<string, StoredOffer>>;
  /** Ends unsigned offers of this partner that were stored before it was known to sign. */
  withdrawUnsigned(peerId: number): Promise<void>;
  /** Records that a message was about no known share: it may be a guess. */
  recordUnknown(): Promise<void>;
}
