import { differencesOf } from '../domain/compatibility';
import { assertLinkAllowed, newLinkPermissions } from '../domain/link-rules';
import { permissionsFromAttributes } from '../domain/attributes';
import { partnerAccess } from '../domain/partner-policy';
import { mayCreateLinks, type ExpiryScope, type SharingPolicy } from '../domain/policy';
import { SHARE_TYPES, type SharedNode } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, KnownUser, ReceivedSource, RemoteRecipient, SharingPorts } from '../ports/ports';
import type { CreateShareCommand } from './create-share-command';

/** The recipient of a new share, and the permissions that were requested. */
export type Recipient =
  | { readonly type: typeof SHARE_TYPES.user; readonly user: KnownUser; readonly asked: number }
  | { readonly type: typeof SHARE_TYPES.group; readonly gid: string; readonly asked: number }
  | { readonly type: typeof SHARE_TYPES.link; readonly asked: number }
  | { readonly type: typeof SHARE_TYPES.federated; readonly shareWith: string; readonly asked: number };

export const EXPIRY_SCOPES: Readonly<Record<Recipient['type'], ExpiryScope>> = {
  [SHARE_TYPES.user]: 'user',
  [SHARE_TYPES.group]: 'group',
  [SHARE_TYPES.link]: 'link',
  [SHARE_TYPES.federated]: 'remote',
};

/** Maximum length of an invalid cloud id in an error message. */
const SHOWN_AT_MOST = 512;

/** Step 6 of the reference: whom the share is for, by the rules of its type. @throws SharingFailed */
export async function findRecipient(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  command: CreateShareCommand,
): Promise<Recipient> {
  switch (command.shareType) {
    case SHARE_TYPES.user:
      return {
        type: SHARE_TYPES.user,
        user: await findUser(ports, command),
        asked: askedOf(policy, command),
      };
    case SHARE_TYPES.group:
      return {
        type: SHARE_TYPES.group,
        gid: await findGroup(ports, policy, command),
        asked: askedOf(policy, command),
      };
    case SHARE_TYPES.link:
      return { type: SHARE_TYPES.link, asked: linkPermissions(ports, policy, caller, node, command) };
    case SHARE_TYPES.federated:
      return {
        type: SHARE_TYPES.federated,
        shareWith: remoteOf(policy, node, command),
        asked: askedOf(policy, command),
      };
    default:
      throw new SharingFailed('share-type-unknown');
  }
}

/** Attributes of older clients carry permissions, and none where there are no such ones; where neither was sent, the default holds. */
function askedOf(policy: SharingPolicy, command: CreateShareCommand): number {
  const { permissions, attributes } = command;
  return (
    permissions ?? (attributes ? (permissionsFromAttributes(attributes) ?? 0) : policy.defaultPermissions)
  );
}

async function findUser(ports: SharingPorts, command: CreateShareCommand): Promise<KnownUser> {
  const user = command.shareWith ? await ports.directory.user(command.shareWith) : undefined;
  if (!user) throw new SharingFailed('user-unknown');
  return user;
}

async function findGroup(
  ports: SharingPorts,
  policy: SharingPolicy,
  command: CreateShareCommand,
): Promise<string> {
  if (!policy.groupSharing) throw new SharingFailed('group-sharing-disabled');
  const gid = command.shareWith;
  if (!gid || !(await ports.directory.groupExists(gid))) throw new SharingFailed('group-unknown');
  if (policy.blacklistedReceiverGroups.includes(gid)) throw new SharingFailed('group-blacklisted');
  return gid;
}

/** The cloud id as it was written: whether it is one is asked last, as deployed servers do. */
function remoteOf(policy: SharingPolicy, node: SharedNode, command: CreateShareCommand): string {
  if (!policy.federation.outgoing)
    throw new SharingFailed('remote-disabled', { path: `/${node.ownerUid}/files${node.ownerPath}` });
  if (!command.shareWith) throw new SharingFailed('remote-recipient-invalid');
  return command.shareWith;
}

function linkPermissions(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  command: CreateShareCommand,
): number {
  if (!policy.links.enabled) throw new SharingFailed('links-disabled');
  if (!mayCreateLinks(policy, caller.groups)) throw new SharingFailed('link-creation-limited');
  return newLinkPermissions(command, node.kind, policy, differencesOf(ports.compatibility).fileLinkMayUpdate);
}

/** Steps 18 and 19: whether it may be shared with that recipient. @throws SharingFailed */
export async function assertRecipientAllowed(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  recipient: Recipient,
  command: CreateShareCommand,
): Promise<void> {
  switch (recipient.type) {
    case SHARE_TYPES.user:
      return assertUserAllowed(ports, policy, caller, node, recipient.user);
    case SHARE_TYPES.group:
      if (policy.onlyMembershipGroups && !caller.groups.includes(recipient.gid))
        throw new SharingFailed('only-membership-groups');
      return;
    case SHARE_TYPES.link:
      return assertLinkAllowed(recipient.asked, Boolean(command.password), policy);
    case SHARE_TYPES.federated:
      return;
  }
}

/**
 * Step 21: whom on which server.
 * @throws SharingFailed remote-unreachable for what is no cloud id, remote-same-user, remote-not-allowed, remote-not-invited
 */
export async function findRemote(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  shareWith: string,
): Promise<RemoteRecipient> {
  const remote = ports.partners.recipient(shareWith);
  if (!remote) {
    const recipient = shareWith.slice(0, SHOWN_AT_MOST);
    throw new SharingFailed('remote-unreachable', { name: node.name, recipient });
  }
  const localUid = remote.localUid?.toLowerCase();
  if (localUid === caller.uid.toLowerCase() || localUid === node.ownerUid.toLowerCase())
    throw new SharingFailed('remote-same-user');
  const standing = await ports.partners.standing(caller.uid, remote);
  const access = partnerAccess(policy, 'outgoing', standing);
  if (access === 'closed') throw new SharingFailed('remote-not-allowed', { host: remote.hostKey });
  if (access === 'contacts' && !standing.isContact)
    throw new SharingFailed('remote-not-invited', { host: remote.hostKey });
  return remote;
}

/**
 * The received share whose owner's server makes the new one, as deployed servers have it: only what was shared itself is
 * known there. Something in it is given from here.
 * @returns undefined where the new share is given from here @throws SharingFailed remote-same-user back to the owner
 */
export async function findSource(
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

async function assertUserAllowed(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  user: KnownUser,
): Promise<void> {
  if (policy.onlyGroupMembers && !user.groups.some((gid) => caller.groups.includes(gid)))
    throw new SharingFailed('only-group-members');
  if (user.uid === node.ownerUid) throw new SharingFailed('with-owner');
  if (
    user.groups.length > 0 &&
    (await ports.shares.sharedWithGroupOf(node.nodeId, user.groups, node.ownerUid))
  )
    throw new SharingFailed('already-shared-user');
}
