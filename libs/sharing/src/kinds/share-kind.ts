import type { ShareAttribute } from '../domain/attributes';
import type { Day } from '../domain/expiry';
import type { ExpiryScope, SharingPolicy } from '../domain/policy';
import type { Share, SharedNode } from '../domain/share';
import type { SharingFailure } from '../domain/sharing-failed';
import type { Caller, Coverage, ShareChange, ShareToStore, SharingPorts } from '../ports/ports';
import type { CreateShareCommand } from './create-share-command';
import type { UpdateShareCommand } from './update-share-command';

/** Facts of a node that rules need. */
export type NodeFacts = Pick<SharedNode, 'kind' | 'name' | 'ownerPath' | 'ownerUid' | 'isRemote'>;

/** Context of a call that makes a share. */
export interface NewShareContext<Node extends NodeFacts = NodeFacts> {
  readonly ports: SharingPorts;
  readonly policy: SharingPolicy;
  readonly caller: Caller;
  readonly node: Node;
  readonly command: CreateShareCommand;
}

/** A new share after the rules that all kinds have in common. */
export interface ShareDraft {
  readonly permissions: number;
  readonly expiresOn: Day | null;
  readonly attributes: readonly ShareAttribute[];
}

/** Context of a call about a share that exists. */
export interface ShareContext {
  readonly ports: SharingPorts;
  readonly policy: SharingPolicy;
  readonly caller: Caller;
}

/** Context of a call that changes a share. */
export interface ChangeContext extends ShareContext {
  readonly command: UpdateShareCommand;
  /** Shares through which the caller has the node, if they do not own it. */
  readonly coverage: readonly Coverage[];
  /** The new password as it is stored; null to remove it, undefined to leave it. */
  readonly passwordHash: string | null | undefined;
  /** Checks the requested day; the result is empty if the day stays. @throws SharingFailed */
  readonly expiry: () => Pick<ShareChange, 'expiresOn'>;
  /** Checks requested permissions, and returns them as they are stored. @throws SharingFailed */
  readonly permissions: (asked: number) => number;
}

/** Sources of names that a record shows. */
export interface RecordNames {
  displayName(uid: string): string;
  /** undefined for an unknown account. */
  additionalInfo(uid: string): string | null | undefined;
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
}

/** Field of a share's record about its recipient. */
type RecipientField =
  | 'shareWith'
  | 'shareWithDisplayname'
  | 'shareWithUserType'
  | 'shareWithAdditionalInfo'
  | 'name'
  | 'url';

/** Fields that are missing or undefined are left out of the record. */
type RecipientFields = { readonly [Field in RecipientField]?: string | number | null | undefined };

/** A kind whose shares are rows of this instance alone. */
interface KeptHere<Recipient> {
  /** Describes the share that is stored, once per node and recipient if the kind has recipients. @throws SharingFailed */
  newShare(context: NewShareContext, recipient: Recipient, draft: ShareDraft): Promise<ShareToStore>;
  /** The refusal if the recipient already has the node. */
  readonly duplicate: SharingFailure;
}

/** A kind whose shares are offered to another instance. */
interface OfferedElsewhere<Recipient> {
  /** Stores the share, once per node and recipient. @throws SharingFailed */
  store(context: NewShareContext<SharedNode>, recipient: Recipient, draft: ShareDraft): Promise<Share>;
}

/** All differences between the kinds of shares, except how they are stored. */
export type ShareKind<Recipient = unknown, Stored extends Share = Share> = KindRules<Recipient, Stored> &
  (KeptHere<Recipient> | OfferedElsewhere<Recipient>);

interface KindRules<Recipient, Stored extends Share> {
  /** The number that clients and the database use. */
  readonly type: number;
  /** Name on the command line. */
  readonly name: string;
  /** Selects the settings about expiry. */
  readonly expiryScope: ExpiryScope;
  /** Whether `password`, `name` and `publicUpload` may be given. */
  readonly takesLinkArguments: boolean;
  /** Whether a node has at most one share of this kind with a recipient. */
  readonly isOncePerRecipient: boolean;
  /** Whether recipients get a place in their tree on this instance, and accept or decline the share. */
  readonly isPlacedHere: boolean;
  /**
   * Whether this instance enforces the attributes. Otherwise another server would have to, and only a second factor can be demanded there.
   */
  readonly enforcesAttributes: boolean;
  /** Whether the policy allows shares of this kind at the moment; others are not listed. */
  isListed(policy: SharingPolicy): boolean;
  /** Finds the recipient that the command names. @throws SharingFailed */
  findRecipient(context: NewShareContext): Promise<Recipient>;
  /** Permissions that the command asks for. @throws SharingFailed if the kind does not allow them */
  requestedPermissions(context: NewShareContext): number;
  /** Whether the recipient is the caller. */
  isCaller(recipient: Recipient, caller: Caller): boolean;
  /** Decides whether the node may be shared with this recipient. @throws SharingFailed */
  assertAllowed(context: NewShareContext, recipient: Recipient): Promise<void>;
  /** Decides whether the caller, who changes the share, may still share with its recipient. @throws SharingFailed */
  assertStillAllowed(context: ShareContext, share: Stored): Promise<void>;
  /** Maximum permissions that a change may ask for, as bits. */
  permissionsLimit(share: Stored): number;
  /** Decides a change, except for attributes. @throws SharingFailed */
  decideChange(change: ChangeContext, share: Stored): ShareChange;
  recipientFields(share: Stored, names: RecordNames): RecipientFields;
}

/** Kinds of shares by their type. */
export type ShareKinds = ReadonlyMap<number, ShareKind>;
