import type { NodeKind, ReceivedShareState } from '#sharing';

/** A share that a partner offers to one of our users, as it is stored. */
export interface OfferedToUs {
  readonly peerId: number;
  readonly providerId: string;
  readonly tokenHmac: Buffer;
  readonly tokenEnc: Buffer;
  readonly recipientUid: string;
  /** Federated cloud ids. */
  readonly owner: string;
  readonly ownerDisplayName: string;
  readonly sender: string;
  readonly senderDisplayName: string;
  readonly name: string;
  readonly description: string;
  /** null where the partner does not say. */
  readonly kind: NodeKind | null;
  readonly permissions: number;
  readonly expiresAt: Date | null;
  readonly dialect: string;
  /** How the content is reached, as its dialect says. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
}

/** A received share that is being changed. */
export interface HeldShare {
  readonly id: number;
  readonly peerId: number;
  readonly recipientUid: string;
  readonly state: ReceivedShareState;
  readonly kind: NodeKind | null;
  readonly permissions: number;
}

/** A failed probe at which a share counts as in doubt. */
interface Doubt {
  readonly failedProbes: number;
  readonly sinceMs: number;
}

/** Received shares within one change: all of it happens, or nothing. */
export interface ReceivedSharesHeld {
  /** Those that this id and the key of their secret mean together. */
  lockBySecret(providerId: string, key: Buffer): Promise<readonly HeldShare[]>;
  /** Those that these partners gave under this id. */
  lockOfPartners(providerId: string, peerIds: readonly number[]): Promise<readonly HeldShare[]>;
  /** Moves it on, and takes its notification away. */
  end(share: HeldShare, state: ReceivedShareState): Promise<void>;
  changePermissions(id: number, permissions: number): Promise<void>;
  /** @param expiresAt null for none */
  changeExpiry(id: number, expiresAt: Date | null): Promise<void>;
  changeDescription(id: number, description: string): Promise<void>;
  /** Has the content of a mounted share read now, unless its root was seen with this ETag already. */
  probeNow(id: number, etag: string): Promise<void>;
  /** The next probe at the owner's server decides whether it ended. */
  doubt(share: { readonly providerId: string; readonly tokenHmac: Buffer }, doubt: Doubt): Promise<void>;
}

/** Shares that our users receive. */
export interface ReceivedShareChanges {
  change<T>(work: (shares: ReceivedSharesHeld) => Promise<T>): Promise<T>;
  /**
   * Stores a pending share.
   * @param subject the text for its recipient
   * @returns its id; `known` when it is there already, `no-room` when its recipient has too many to decide on
   */
  insert(offer: OfferedToUs, subject: string): Promise<number | 'known' | 'no-room'>;
  /** Ends unsigned offers of this partner that were stored before it was known that it signs. */
  withdrawUnsigned(peerId: number): Promise<void>;
  /** Records that a message was about no share: a guess looks like that. */
  recordUnknown(): Promise<void>;
}
