import type { NodeKind } from '#sharing';
import type { OfferPayload } from '../messages/payloads';

/** One of our shares with a partner's account, as the partner's messages about it need it. */
export interface NotifiedShare {
  readonly id: number;
  readonly peerId: number;
  /** Key of the secret that the partner knows: its own where the owner's server made the share. */
  readonly tokenHmac: Buffer;
  readonly permissions: number;
  readonly ownerUid: string;
  /** The partner that asked for the share, for an account of a third one; null for shares that were made here. */
  readonly requesterPeerId: number | null;
  /** Whether the partner is the server of its owner, which made it on our request. */
  readonly isGranted: boolean;
  readonly kind: NodeKind;
  /** Cloud id of its recipient, as it was written. */
  readonly recipient: string;
  /** Cloud id of the owner where the node lies on another instance; null for our own. */
  readonly remoteOwner: string | null;
}

/** A share that a partner requests on behalf of one of its users: with another person, of the same node. */
export interface RequestedShare {
  /** Cloud id of the recipient, as it was written. */
  readonly recipient: string;
  readonly recipientCanonical: string;
  readonly recipientPeerId: number;
  readonly permissions: number;
  readonly tokenHmac: Buffer;
  readonly tokenEnc: Buffer;
}

/** A share that was made so, with what its recipient's server is told. */
export interface MadeShare {
  readonly id: number;
  readonly nodeName: string;
  readonly nodeKind: NodeKind;
  /** `YYYY-MM-DD`; null for none. */
  readonly expiresOn: string | null;
  readonly ownerUid: string;
  readonly ownerDisplayName: string;
}

/** Our shares within one change: all of it happens, or nothing. */
export interface OurShares {
  /** Holds the share until the change ends. */
  lock(shareId: number): Promise<NotifiedShare | undefined>;
  /** The recipient saw the offer. */
  see(shareId: number): Promise<void>;
  /** The recipient accepted it. */
  accept(shareId: number): Promise<void>;
  /**
   * The recipient declined an accepted share whose offer may be there twice: it is not known which of them was meant.
   * @returns whether that is so; the share counts as not accepted then
   */
  doubt(shareId: number): Promise<boolean>;
  changePermissions(shareId: number, permissions: number): Promise<void>;
  /** Tells the recipient's server of permissions that the requester changed. */
  notifyRecipient(shareId: number, permissions: number): Promise<void>;
  /** The recipient declined or left it, and gets no message. @param reason their words; null for none */
  end(shareId: number, reason: string | null): Promise<void>;
  /** Takes it back from its recipient, who is told; its requester does so, and is not. */
  revoke(shareId: number): Promise<void>;
  /** The server of its owner, which made it, took it back, and gets no message. */
  drop(shareId: number): Promise<void>;
  /** Makes the share that the recipient of `shareId` asks for. @returns undefined where that recipient has one already */
  insertRequested(shareId: number, asked: RequestedShare): Promise<MadeShare | undefined>;
  /** Writes the offer of a share. @returns the id of the message */
  offer(share: RequestedShare & { readonly id: number }, payload: OfferPayload): Promise<number>;
}

/** The answer to a message that was taken, and the partner that it turned out to be from. */
interface FirstAnswer<Reply> {
  readonly peerId: number;
  readonly reply: Reply;
}

/** Shares of ours, and the messages about them that were taken already. */
export interface OurShareStore {
  change<T>(work: (shares: OurShares) => Promise<T>): Promise<T>;
  /**
   * The same, once for each message: a repetition changes nothing and gets the first answer. A message that fails is not kept.
   * @param message `key` is of everything that makes two messages the same, a secret among it
   */
  once<Reply>(
    message: { readonly key: Buffer; readonly kind: string },
    work: (shares: OurShares) => Promise<FirstAnswer<Reply>>,
  ): Promise<Reply>;
  /** Sealed secrets of a share that has ended, as long as the message of its end is kept. */
  secretsOfEnded(shareId: number): Promise<readonly Buffer[]>;
  /**
   * Keeps the id under which the requester knows a share that was made for them.
   * @returns its sealed secret; undefined when the share is gone
   */
  setRequesterShareId(shareId: number, requesterShareId: string): Promise<Buffer | undefined>;
}
