import type { Compatibility } from '../domain/compatibility';
import type { Day } from '../domain/expiry';
import type { RegardedPartner } from '../domain/partner-policy';
import type { NodeKind } from '../domain/permissions';
import type { SharingPolicy } from '../domain/policy';
import type { Share, SHARE_TYPES, SharedNode } from '../domain/share';
import type { PageRequest } from '../domain/share-page';
import type { OfferFailure } from '../domain/sharing-failed';
import type { ShareState } from '../domain/state';

/** The user who makes a call. */
export interface Caller {
  readonly uid: string;
  readonly groups: readonly string[];
  /** Whether they signed in with a second factor. */
  readonly secondFactor?: boolean;
}

/** An account, as far as sharing needs it. */
export interface KnownUser {
  readonly uid: string;
  readonly groups: readonly string[];
  /** The user's own setting; it counts only if the policy allows auto-accept. */
  readonly autoAccept: boolean;
}

export interface Directory {
  /** Finds by id, regardless of case. */
  user(uid: string): Promise<KnownUser | undefined>;
  /** Whether the group exists; ids are case-sensitive. */
  groupExists(gid: string): Promise<boolean>;
}

/** One way in which a user has another user's node: a mount of the node, or of a folder above it. */
export interface Coverage {
  /** null if another instance shared it. */
  readonly shareId: number | null;
  readonly nodeId: number;
  /** Path of the node through this mount. */
  readonly path: string;
  readonly mountTarget: string;
  readonly permissions: number;
  readonly attributes: string | null;
  /** Requirements of a share from another instance; null for none. */
  readonly requirements: readonly string[] | null;
  /** Whether the mount shows the node itself rather than a folder above it. */
  readonly direct: boolean;
  /** The folder of the user's tree that contains the mount. */
  readonly folderId: number | null;
}

/** The parts of the user's tree that sharing needs. */
export interface Tree {
  /** The node at a path of the user's tree; undefined if there is none. */
  resolve(uid: string, path: string): Promise<SharedNode | undefined>;
  /**
   * Looks up a node as `resolve` does, in the tree of the share's initiator, and shares it in the same step if it is their own, is of a kind
   * with permissions, and contains no received shares.
   */
  share(path: string, share: ShareOfPath): Promise<SharedOrFound>;
  /** Whether a received share is mounted below a folder of the user's tree. */
  hasMountsBelow(uid: string, path: string): Promise<boolean>;
  /** Gives every accepted share of the user a place in their tree. */
  placeReceived(uid: string): Promise<boolean>;
  /** Sets the state of all shares of the node for this user, and places the node when it is accepted. */
  decide(uid: string, share: { id: number; nodeId: number }, state: ShareState): Promise<void>;
}

interface NewShareBase {
  readonly node: SharedNode;
  readonly initiatorUid: string;
  readonly permissions: number;
  readonly fileTarget: string;
  readonly expiresOn: Day | null;
  readonly attributes: string | null;
  readonly note: string | null;
}

/** A share with a user or a group. */
export interface NewRecipientShare extends NewShareBase {
  readonly type: typeof SHARE_TYPES.user | typeof SHARE_TYPES.group;
  readonly recipient: string;
  readonly initialState: ShareState;
}

export interface NewLinkShare extends NewShareBase {
  readonly type: typeof SHARE_TYPES.link;
  readonly shareToken: string;
  /** null: none. */
  readonly passwordHash: string | null;
  readonly name: string | null;
}

export type NewShare = NewRecipientShare | NewLinkShare;

type WithoutNode<Of> = Of extends unknown ? Omit<Of, 'node'> : never;
/** A new share without the node, which is added when it is stored. */
export type ShareToStore = WithoutNode<NewShare>;

/** A new share of a node that was not looked up yet, with its permissions for each kind of node. */
export interface ShareOfPath {
  readonly share: ShareToStore;
  /** undefined: a node of this kind is not shared. */
  readonly permissions: Readonly<Record<NodeKind, number | undefined>>;
}

/** The share that was made, or the reason why it was not; otherwise the node that was found, if there is one. */
export type SharedOrFound =
  | { readonly made: Share | InsertRefusal }
  | {
      readonly made?: undefined;
      readonly node: SharedNode | undefined;
      /** As of ShareStore, if it was read in the same step. */
      readonly coverage?: readonly Coverage[] | undefined;
    };

/** A share with a person on another instance. It has no target here. */
export interface NewFederatedShare extends Pick<
  NewShareBase,
  'node' | 'initiatorUid' | 'permissions' | 'expiresOn' | 'attributes' | 'note'
> {
  readonly recipient: RemoteRecipient;
  /** Whether the recipient is a group. */
  readonly isForGroup: boolean;
  readonly shareToken: string;
  /** The received share whose owner's server is asked to make the share; undefined if this instance makes it. */
  readonly received?: ReceivedSource | undefined;
  /** The public link from which the share was made, and with which it ends. */
  readonly linkId?: number | undefined;
}

/** The origin of a node that lies on another instance. */
export interface ReceivedSource {
  readonly receivedShareId: number;
  /** The owner's cloud id. */
  readonly owner: string;
  /** Whether its server opens it only for people with a second factor. The new share then does so, too. */
  readonly needsSecondFactor: boolean;
  /** Whether the node is the shared node itself rather than a node inside it. */
  readonly isRoot: boolean;
}

/** A person on another instance. */
export interface RemoteRecipient {
  /** The cloud id as it was written, without trailing slashes. */
  readonly written: string;
  /** The same text for two spellings of one account. */
  readonly canonical: string;
  /** The recipient's server: canonical host, with port and path if they are not the usual ones. */
  readonly hostKey: string;
  /** The account, if the server is this instance. */
  readonly localUid: string | undefined;
}

/** Trust in a recipient's server, and whether the recipient is a contact. */
export interface PartnerStanding extends RegardedPartner {
  readonly isContact: boolean;
}

/** A stored federated share, and the message that offers it to the partner. */
export interface OfferedShare {
  readonly shareId: number;
  readonly offerId: number;
  /** Whether the message waits because its partner gets none at the moment. */
  readonly isHeld: boolean;
}

/** Result of an offer to a partner, as far as it is known. */
export type PartnerVerdict =
  | { readonly kind: 'taken' }
  /** No result yet: delivery continues. */
  | { readonly kind: 'later' }
  /** Delivery has ended. `words` are the partner's text; empty for none. */
  | { readonly kind: 'failed'; readonly failure: OfferFailure; readonly words: string };

/** Servers that shares are exchanged with. */
export interface Partners {
  /** @returns undefined for an invalid federated cloud id */
  recipient(text: string): RemoteRecipient | undefined;
  /** Trust in the recipient's server, and whether they are a contact of the user. */
  standing(uid: string, remote: RemoteRecipient): Promise<PartnerStanding>;
  /** Waits for the verdict on a share that was just offered, for a short, configured time. */
  verdict(offered: OfferedShare): Promise<PartnerVerdict>;
}

export interface ShareChange {
  readonly permissions?: number;
  /** null: none. */
  readonly expiresOn?: Day | null;
  /** null: none. */
  readonly attributes?: string | null;
  /** null: none. */
  readonly note?: string | null;
  /** null: none. Links only. */
  readonly name?: string | null;
  /** null: none. Links only. */
  readonly passwordHash?: string | null;
}

export interface OwnSharesFilter {
  /** Whether the list includes shares that others made of the user's files. */
  readonly alsoOthersOfMine: boolean;
  /** undefined: every type. */
  readonly types: readonly number[] | undefined;
  readonly nodeId?: number;
  /** Only shares of the children of this folder. */
  readonly parentNodeId?: number;
}

export interface ReceivedSharesFilter {
  /** undefined: every state. */
  readonly state: ShareState | undefined;
  readonly types: readonly number[] | undefined;
  readonly nodeId?: number;
}

/** Reason why a share was not stored: the recipient already has the node, or the node or a named person is gone. */
export type InsertRefusal = 'duplicate' | 'gone';

/** A share, with the ways to its node if the viewer manages the share and somebody else owns the node. */
export interface CoveredShare {
  readonly share: Share;
  readonly coverage: readonly Coverage[];
}

/** Stored shares. Expired shares are never returned. Lists are ordered by PageKey. */
export interface ShareStore {
  insert(share: NewShare): Promise<Share | InsertRefusal>;
  /** The origin of the node; undefined for a node of this instance. */
  sourceOf(nodeId: number): Promise<ReceivedSource | undefined>;
  readonly federated: {
    /** Stores the share and the message to its partner, both or none. */
    insert(share: NewFederatedShare): Promise<OfferedShare | InsertRefusal>;
  };
  /** A share with the personal row of its user recipient, or of the viewer for a group share. */
  find(id: number, viewerUid: string): Promise<Share | undefined>;
  findWithCoverage(id: number, viewerUid: string): Promise<CoveredShare | undefined>;
  listOwn(uid: string, filter: OwnSharesFilter, page: PageRequest): Promise<Share[]>;
  /**
   * @param place gives shares without a place theirs, and returns whether there were any; called before the list is read, or before it
   * is read again
   */
  listReceived(
    uid: string,
    groups: readonly string[],
    filter: ReceivedSharesFilter,
    page: PageRequest,
    place?: () => Promise<boolean>,
  ): Promise<Share[]>;
  /** The ways in which a user has these nodes through accepted shares. */
  coverage(uid: string, nodeIds: readonly number[]): Promise<Coverage[]>;
  /**
   * Changes a share under a lock. `decide` must not wait for anything: a connection is held meanwhile.
   * @returns undefined when it is gone
   */
  update(id: number, viewerUid: string, decide: (share: Share) => ShareChange): Promise<Share | undefined>;
  /** @returns whether the share existed */
  remove(id: number): Promise<boolean>;
  /** Removes a share if the user may manage it (`mayManage`). @returns whether it existed and they may */
  removeManaged(id: number, uid: string): Promise<boolean>;
}

/** Makes tokens of links and secrets of federated shares. */
export interface LinkSecrets {
  /** @param length characters of `[A-Za-z0-9]`, 15 to 32; the default is the length of a link's token */
  newToken(length?: number): string;
  /** Throws if too many passwords of the caller already wait to be hashed. Callers ask before they look anything up. */
  assertRoomForPassword(): void;
  /** Hashes a link's password for storage. */
  hashPassword(password: string): Promise<string>;
}

export interface PolicySource {
  current(): Promise<SharingPolicy>;
}

interface Clock {
  now(): Date;
}

export interface SharingPorts {
  readonly shares: ShareStore;
  readonly tree: Tree;
  readonly directory: Directory;
  readonly policy: PolicySource;
  readonly clock: Clock;
  readonly linkSecrets: LinkSecrets;
  readonly partners: Partners;
  readonly compatibility: Compatibility;
}
