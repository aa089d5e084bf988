import { attributesText, conditionsAmong, SECOND_FACTOR } from '../domain/attributes';
import { FEDERATED_SECRET_LENGTH } from '../domain/compatibility';
import { partnerAccess } from '../domain/partner-policy';
import { ALL } from '../domain/permissions';
import type { SharingPolicy } from '../domain/policy';
import { SHARE_TYPES, type FederatedShare, type Share, type SharedNode } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type {
  Caller,
  NewFederatedShare,
  ReceivedSource,
  RemoteRecipient,
  SharingPorts,
} from '../ports/ports';
import { requestedPermissions, changeOfRecipientShare } from './recipient-share';
import type { NewShareContext, NodeFacts, ShareDraft, ShareKind } from './share-kind';

/** Maximum length of an invalid cloud id in an error message. */
const MAX_SHOWN_LENGTH = 512;

/**
 * Shares with an account of another instance. The recipient is a cloud id as it was written. It is checked last, as in deployed servers.
 */
export const FEDERATED_KIND: ShareKind<string, FederatedShare> = {
  type: SHARE_TYPES.federated,
  name: 'federated',
  expiryScope: 'remote',
  takesLinkArguments: false,
  isOncePerRecipient: true,
  isPlacedHere: false,
  enforcesAttributes: false,
  isListed: (policy) => policy.federation.outgoing,
  async findRecipient({ policy, node, command }) {
    assertOutgoing(policy, node);
    if (!command.shareWith) throw new SharingFailed('remote-recipient-invalid');
    return Promise.resolve(command.shareWith);
  },
  requestedPermissions,
  isCaller: () => false,
  assertAllowed: () => Promise.resolve(),
  assertStillAllowed: () => Promise.resolve(),
  store: (context, shareWith, draft) => storeFederated(context, shareWith, draft, false),
  permissionsLimit: (share) => (share.remoteOwner === null ? ALL : share.permissions),
  decideChange: changeOfRecipientShare,
  recipientFields: ({ recipient }) => ({
    shareWith: recipient,
    shareWithDisplayname: recipient,
  }),
};

/**
 * Stores a share with a person or a group on another instance, and offers it.
 * @throws SharingFailed those of `findRemote` and `offerShare`; not-shareable to a group if the owner's server would have to make the
 * share: a request for that names a person
 */
export async function storeFederated(
  { ports, policy, caller, node, command }: NewShareContext<SharedNode>,
  shareWith: string,
  { permissions, expiresOn, attributes: given }: ShareDraft,
  isForGroup: boolean,
): Promise<Share> {
  const recipient = await findRemote({ ports, policy, caller, node, shareWith, isForGroup });
  const received = await findSource(ports, node, recipient);
  if (received && isForGroup)
    throw new SharingFailed('not-shareable', { path: `/${node.ownerUid}/files${node.ownerPath}` });
  const attributes = attributesText(conditionsAmong(given));
  if (received && attributes !== null && !received.needsSecondFactor)
    throw new SharingFailed('attributes-not-carried', { name: SECOND_FACTOR.key });
  const draft = {
    ...{ node, initiatorUid: caller.uid, permissions, expiresOn, attributes },
    note: command.note || null,
    ...{ recipient, received, isForGroup },
  };
  return offerShare(ports, caller, draft);
}

/** @throws SharingFailed remote-disabled if the policy forbids shares with other servers */
export function assertOutgoing(policy: SharingPolicy, node: NodeFacts): void {
  if (!policy.federation.outgoing)
    throw new SharingFailed('remote-disabled', { path: `/${node.ownerUid}/files${node.ownerPath}` });
}

/** A request to share a node with a person, or a group, on another instance. */
interface RemoteWish {
  readonly ports: SharingPorts;
  readonly policy: SharingPolicy;
  readonly caller: Caller;
  readonly node: SharedNode;
  readonly shareWith: string;
  readonly isForGroup: boolean;
}

/**
 * Finds the recipient and their server.
 * @throws SharingFailed remote-unreachable for an invalid cloud id, remote-same-user, remote-not-allowed, remote-not-invited
 */
export async function findRemote(wish: RemoteWish): Promise<RemoteRecipient> {
  const { ports, policy, caller, node, shareWith, isForGroup } = wish;
  const remote = ports.partners.recipient(shareWith);
  if (!remote) {
    const recipient = shareWith.slice(0, MAX_SHOWN_LENGTH);
    throw new SharingFailed('remote-unreachable', { name: node.name, recipient });
  }
  const localUid = remote.localUid?.toLowerCase();
  const isTheirOwn = localUid === caller.uid.toLowerCase() || localUid === node.ownerUid.toLowerCase();
  if (isTheirOwn && !isForGroup) throw new SharingFailed('remote-same-user');
  const standing = await ports.partners.standing(caller.uid, remote);
  const access = partnerAccess(policy, 'outgoing', standing);
  if (access === 'closed') throw new SharingFailed('remote-not-allowed', { host: remote.hostKey });
  // A contact may have the name of a group.
  if (access === 'contacts' && (isForGroup || !standing.isContact))
    throw new SharingFailed('remote-not-invited', { host: remote.hostKey });
  return remote;
}

/**
 * Finds the received share through which the owner's server makes the new share, as in deployed servers. That server knows only
 * the shared node itself: this instance shares a node inside it.
 * @returns undefined if this instance makes the new share @throws SharingFailed remote-same-user back to the owner
 */
async function findSource(
  ports: SharingPorts,
  node: SharedNode,
  remote: RemoteRecipient,
): Promise<ReceivedSource | undefined> {
  if (!node.isRemote) return undefined;
  const source = await ports.shares.sourceOf(node.nodeId);
  if (source && ports.partners.recipient(source.owner)?.canonical === remote.canonical)
    throw new SharingFailed('remote-same-user');
  return source?.isRoot ? source : undefined;
}

/**
 * Stores the share and the message to the recipient's server together, and waits a short time for that server's verdict.
 * Without a verdict the share stays, and the delivery is tried again.
 * @throws SharingFailed path-wrong, remote-duplicate; an OfferFailure, after the share was removed
 */
export async function offerShare(
  ports: SharingPorts,
  caller: Caller,
  draft: Omit<NewFederatedShare, 'shareToken'>,
): Promise<Share> {
  const shareToken = ports.linkSecrets.newToken(FEDERATED_SECRET_LENGTH);
  const offered = await ports.shares.federated.insert({ ...draft, shareToken });
  const { written: recipient, hostKey: host } = draft.recipient;
  const names = { name: draft.node.name, recipient, host };
  if (offered === 'gone') throw new SharingFailed('path-wrong');
  if (offered === 'duplicate') throw new SharingFailed('remote-duplicate', names);
  const verdict = await ports.partners.verdict(offered);
  if (verdict.kind === 'failed') {
    await ports.shares.remove(offered.shareId);
    throw new SharingFailed(verdict.failure, { ...names, words: verdict.words });
  }
  const share = await ports.shares.find(offered.shareId, caller.uid);
  if (!share) throw new SharingFailed('share-unknown');
  return share;
}
