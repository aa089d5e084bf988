import type { NodeKind } from '#sharing';
import type { OfferPayload } from '../messages/payloads';

/** One of our shares with an account at a partner, as the partner's messages about it need it. */
export interface NotifiedShare {
  readonly id: number;
  readonly peerId: number;
  /** Lookup key of the secret that the partner knows: the partner's own secret if the owner's server made the share. */
  readonly tokenHmac: Buffer;
  readonly permissions: number;
  readonly ownerUid: string;
  /** The partner that requested the share for an account of a third server; null for shares that were made here. */
  readonly requesterPeerId: number | null;
  /** Whether the partner is the owner's server, which made the share on our request. */
  readonly isGranted: boolean;
  readonly kind: NodeKind;
  /** Cloud id of its recipient, as it was written. */
  readonly recipient: string;
  /** Whether the recipient is a group, whose members decide for themselves. */
  readonly isForGroup: boolean;
  /** Cloud id of the owner if the node lies on another instance; null for our own nodes. */
  readonly remoteOwner: string | null;
}

/** A share that a partner requests on behalf of one of its users: the same node, with another person. */
export interface RequestedShare {
  /** Cloud id of the recipient, as it was written. */
  readonly recipient: string;
  readonly recipientCanonical: string;
  readonly recipientPeerId: number;
  readonly permissions: number;
  readonly tokenHmac: Buffer;
  readonly tokenEnc: Buffer;
}

/** A share that was made on request, with the values that its recipient's server needs. */
export interface MadeShare {
  readonly id: number;
  readonly nodeName: string;
  readonly nodeKind: NodeKind;
  /** `YYYY-MM-DD`; null for none. */
  readonly expiresOn: string | null;
  readonly ownerUid: string;
  readonly ownerDisplayName: string;
}

/** Our shares within one transaction. */
export interface OurShares {
  /** Locks the share until the transaction ends. */
  lock(shareId: number): Promise<NotifiedShare | undefined>;
  /** Notes that the recipient saw the offer. */
  see(shareId: number): Promise<void>;
  /** Notes that the recipient accepted. */
  accept(shareId: number): Promise<void>;
  /**
   * Notes a decline of an accepted share whose offer may have arrived twice: it is not known which copy was meant.
   * @returns whether that is so; the share then counts as not accepted
   */
  doubt(shareId: number): Promise<boolean>;
  changePermissions(shareId: number, permissions: number): Promise<void>;
  /** Sends the recipient's server the permissions that the requester changed. */
  notifyRecipient(shareId: number, permissions: number): Promise<void>;
  /** Ends the share because the recipient declined or left it; they get no message. @param reason their text; null for none */
  end(shareId: number, reason: string | null): Promise<void>;
  /** Ends the share for its requester: the recipient gets a message, the requester gets none. */
  revoke(shareId: number): Promise<void>;
  /** Ends the share because the owner's server, which made it, withdrew it. That server gets no message. */
  drop(shareId: number): Promise<void>;
  /** Makes the share that the recipient of `shareId` requests. @returns undefined if the new recipient has one already */
  insertRequested(shareId: number, asked: RequestedShare): Promise<MadeShare | undefined>;
  /** The share that the recipient of `shareId` requested before for the same person; undefined if there is none. */
  requestedBefore(
    shareId: number,
    asked: RequestedShare,
  ): Promise<Pick<NotifiedShare, 'id' | 'permissions'> | undefined>;
  /** Writes the offer of a share. @returns the id of the message */
  offer(share: RequestedShare & { readonly id: number }, payload: OfferPayload): Promise<number>;
}

/** The answer to a message that was handled before, and the partner that sent it. */
interface FirstAnswer<Reply> {
  readonly peerId: number;
  readonly reply: Reply;
}

/** Our shares, and the messages about them that were handled before. */
export interface OurShareStore {
  change<T>(work: (shares: OurShares) => Promise<T>): Promise<T>;
  /**
   * The same, once per message: a repetition changes nothing and gets the first answer. A message that fails is not stored.
   * @param message its `key` is a hash of everything that identifies the message, including a secret
   */
  once<Reply>(
    message: { readonly key: Buffer; readonly kind: string },
    work: (shares: OurShares) => Promise<FirstAnswer<Reply>>,
  ): Promise<Reply>;
  /** Sealed secrets of an ended share, as long as the message about its end is stored. */
  secretsOfEnded(shareId: number): Promise<readonly Buffer[]>;
  /**
   * Stores the id under which the requester knows a share that was made for them.
   * @returns its sealed secret; undefined if the share is gone
   */
  setRequesterShareId(shareId: number, requesterShareId: string): Promise<Buffer | undefined>;
}
