import type { Day } from './expiry';
import type { NodeKind } from './permissions';
import type { ShareState } from './state';

/** Existing types of shares, with the numbers that clients use. */
export const SHARE_TYPES = { user: 0, group: 1, link: 3, federated: 6 } as const;

/** The shared node, as its owner sees it. */
export interface SharedNode {
  readonly nodeId: number;
  readonly kind: NodeKind;
  readonly name: string;
  /** Path in the owner's tree, or inside the share that they received from another instance; `''` for the root. */
  readonly ownerPath: string;
  readonly ownerUid: string;
  readonly mimetype: string;
  readonly storageId: number;
  /** null for a root. */
  readonly parentId: number | null;
  /** Whether it lies on another instance: its owner here received it, and passes it on. */
  readonly isRemote: boolean;
}

/** Whether the node is this user's own, so that they need nobody's permission to share it. */
export function isOwn(node: Pick<SharedNode, 'ownerUid' | 'isRemote'>, uid: string): boolean {
  return node.ownerUid === uid && !node.isRemote;
}

/** The viewer's own row of a user or group share. */
export interface PersonalRow {
  readonly state: ShareState;
  /** The node's place in the viewer's tree; null if it has none. */
  readonly target: string | null;
  /** Node id of the folder that contains the target; null while there is none. */
  readonly folderId: number | null;
}

interface ShareBase {
  readonly id: number;
  /** The creator of the share: the owner, or a recipient who passes it on. */
  readonly initiatorUid: string;
  readonly node: SharedNode;
  readonly permissions: number;
  readonly expiresOn: Day | null;
  /** Time of creation, in UNIX seconds. */
  readonly createdAtSeconds: number;
  /** JSON text of its attributes; null for none. */
  readonly attributes: string | null;
  /** Note of its creator to the recipients; null for none. */
  readonly note: string | null;
  /** Requested place, for a recipient without a place of their own. */
  readonly fileTarget: string;
  readonly mailSent: boolean;
}

export interface UserShare extends ShareBase {
  readonly type: typeof SHARE_TYPES.user;
  readonly recipientUid: string;
  /** The recipient's row. */
  readonly personal: PersonalRow | undefined;
}

export interface GroupShare extends ShareBase {
  readonly type: typeof SHARE_TYPES.group;
  readonly recipientGid: string;
  /** The state of members without a row of their own. */
  readonly initialState: ShareState;
  /** The viewer's row. */
  readonly personal: PersonalRow | undefined;
}

export interface LinkShare extends ShareBase {
  readonly type: typeof SHARE_TYPES.link;
  readonly shareToken: string;
  readonly hasPassword: boolean;
  /** The label; null if it was never set or was cleared. */
  readonly name: string | null;
}

/** A share with somebody on another instance. */
export interface FederatedShare extends ShareBase {
  readonly type: typeof SHARE_TYPES.federated;
  /** The recipient's cloud id as it was written, without trailing slashes. */
  readonly recipient: string;
  /** Whether the recipient is a group there, whose members share the secret and decide for themselves. */
  readonly isForGroup: boolean;
  /** The secret with which the partner reads the content. */
  readonly shareToken: string;
  /**
   * Cloud id of the node's owner on another instance, whose server makes the share; null for shares that this instance
   * makes.
   */
  readonly remoteOwner: string | null;
  /**
   * Cloud id of the person at another instance who passed the node on, while they have it from the initiator; null for shares that nobody
   * there requested.
   */
  readonly requester: string | null;
  readonly delivery: DeliveryProgress;
  /** Decision of the recipient, and how it became known; null if there is none yet. */
  readonly acceptance: string;
  readonly acceptanceSource: string | null;
}

/** State of the delivery of a federated share to its partner, in the words of the delivery. */
interface DeliveryProgress {
  readonly state: string;
  readonly attempts: number;
  /** UNIX seconds; null if no attempt is due. */
  readonly nextAttemptAtSeconds: number | null;
  /** Last failure, in the partner's words if it sent any; null for none. */
  readonly error: string | null;
}

/** Number by which clients name a share with a group of another instance. It is stored as a federated share. */
export const REMOTE_GROUP_TYPE = 9;

/** The number of a share's type, for clients. */
export const typeForClients = (share: Share): number =>
  share.type === SHARE_TYPES.federated && share.isForGroup ? REMOTE_GROUP_TYPE : share.type;

/** A stored share. */
export type Share = UserShare | GroupShare | LinkShare | FederatedShare;

/** Whether `uid` made the share or owns the shared node. */
export function mayManage(share: Share, uid: string): boolean {
  return share.initiatorUid === uid || share.node.ownerUid === uid;
}

/** Whether the share is for this user, directly or through a group. */
export function isRecipient(share: Share, uid: string, groups: readonly string[]): boolean {
  if (share.node.ownerUid === uid) return false;
  switch (share.type) {
    case SHARE_TYPES.user:
      return share.recipientUid === uid;
    case SHARE_TYPES.group:
      return groups.includes(share.recipientGid);
    case SHARE_TYPES.link:
    case SHARE_TYPES.federated:
      return false;
  }
}

/** The viewer's own row, for kinds of shares with rows. */
export function personalRowOf(share: Share): PersonalRow | undefined {
  return share.type === SHARE_TYPES.user || share.type === SHARE_TYPES.group ? share.personal : undefined;
}

/** The state of a share for its recipient. */
export function stateOf(share: Share): ShareState {
  const personal = personalRowOf(share);
  if (personal) return personal.state;
  return share.type === SHARE_TYPES.group ? share.initialState : 'pending';
}

/** A share as one user sees it. */
export interface ShareView {
  readonly share: Share;
  /** Path of the node in the viewer's tree. */
  readonly path: string;
  /** Node id of the folder above it, as the viewer sees it. */
  readonly parentId: number | null;
  readonly fileTarget: string;
  /**
   * Path of the received share through which the viewer sees the node; null for their own files and for nodes that are not
   * mounted.
   */
  readonly mountTarget: string | null;
  /** Shown in lists of received shares and in replies to accept and decline. */
  readonly state?: ShareState;
  /** The permissions of the viewer, if they differ from the stored ones. */
  readonly permissions: number;
}
