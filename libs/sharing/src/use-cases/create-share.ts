import { attributesFromText, attributesText, mergeAttributes, permissionsFromAttributes, repeats, type ShareAttribute } from '../domain/attributes';
import { dayOf, parseDay, resolveExpiry, type Day, type ExpiryWish } from '../domain/expiry';
import { ALL, clampToKind, exceeds, SHARE } from '../domain/permissions';
import { mayShare, type SharingPolicy } from '../domain/policy';
import { SHARE_TYPES, type SharedNode, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, Coverage, KnownUser, NewShare, SharingPorts } from '../ports/ports';
import { managedView } from './share-views';

/** A request for a new share, as it was parsed; what is undefined was not given. */
export interface CreateShareCommand {
  readonly path: string | undefined;
  readonly shareType: number;
  readonly shareWith: string | undefined;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
}

type Recipient =
  | { readonly type: typeof SHARE_TYPES.user; readonly user: KnownUser }
  | { readonly type: typeof SHARE_TYPES.group; readonly gid: string };

/**
 * Shares a file or folder. The first rule that is broken decides; their order is the reference's (2.4).
 * @throws SharingFailed
 */
export async function createShare(ports: SharingPorts, caller: Caller, command: CreateShareCommand): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  const path = parsePath(command.path);
  const node = await ports.tree.resolve(caller.uid, path);
  if (!node) throw new SharingFailed('path-wrong');
  const today = dayOf(ports.clock.now());
  const wish = parseExpiryWish(command.expireDate, today);
  const recipient = await findRecipient(ports, policy, command);
  if (!mayShare(policy, caller.groups)) throw new SharingFailed('sharer-excluded');
  if (node.kind === 'folder' && (await ports.tree.hasMountsBelow(caller.uid, path)))
    throw new SharingFailed('contains-received');
  const rule = recipient.type === SHARE_TYPES.user ? policy.expiry.user : policy.expiry.group;
  const expiresOn = resolveExpiry(wish, rule, today, true) ?? null;
  if (recipient.type === SHARE_TYPES.user && recipient.user.uid === caller.uid) throw new SharingFailed('with-yourself');
  if (node.parentId === null) throw new SharingFailed('root');
  const coverage = node.ownerUid === caller.uid ? [] : await ports.shares.coverage(caller.uid, [node.nodeId]);
  const permissions = decidePermissions(policy, node, caller, coverage, command);
  await assertRecipientAllowed(ports, policy, caller, node, recipient);
  const share = await ports.shares.insert(
    newShare(policy, caller, node, recipient, { permissions, expiresOn, attributes: attributesText(command.attributes ?? []) }),
  );
  if (!share) throw duplicate(recipient);
  return managedView(ports.shares, caller, share);
}

/** The path with one leading slash and no trailing one; `''` for the root. @throws SharingFailed path-missing */
export function parsePath(raw: string | undefined): string {
  if (raw === undefined || raw === '') throw new SharingFailed('path-missing');
  return normalisePath(raw);
}

export function normalisePath(raw: string): string {
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new SharingFailed('path-wrong');
  return parts.length === 0 ? '' : `/${parts.join('/')}`;
}

/** @throws SharingFailed date-invalid */
export function parseExpiryWish(raw: string | undefined, today: Day): ExpiryWish {
  if (raw === undefined) return undefined;
  if (raw === '') return 'none';
  const day = parseDay(raw, today);
  if (!day) throw new SharingFailed('date-invalid');
  return day;
}

async function findRecipient(ports: SharingPorts, policy: SharingPolicy, command: CreateShareCommand): Promise<Recipient> {
  switch (command.shareType) {
    case SHARE_TYPES.user: {
      const user = command.shareWith ? await ports.directory.user(command.shareWith) : undefined;
      if (!user) throw new SharingFailed('user-unknown');
      return { type: SHARE_TYPES.user, user };
    }
    case SHARE_TYPES.group: {
      if (!policy.groupSharing) throw new SharingFailed('group-sharing-disabled');
      const gid = command.shareWith;
      if (!gid || !(await ports.directory.groupExists(gid))) throw new SharingFailed('group-unknown');
      if (policy.blacklistedReceiverGroups.includes(gid)) throw new SharingFailed('group-blacklisted');
      return { type: SHARE_TYPES.group, gid };
    }
    default:
      throw new SharingFailed('share-type-unknown');
  }
}

/** Steps 13 to 17 of the reference: what may be passed on, and how much of it. */
function decidePermissions(
  policy: SharingPolicy,
  node: SharedNode,
  caller: Caller,
  coverage: readonly Coverage[],
  command: CreateShareCommand,
): number {
  const allowed = assertShareable(policy, node, caller, coverage);
  const asked = command.permissions ?? (command.attributes ? permissionsFromAttributes(command.attributes) : policy.defaultPermissions);
  const permissions = assertPermissions(asked, node, allowed);
  if (!repeats(command.attributes ?? [], requiredAttributes(coverage)))
    throw new SharingFailed('attributes-exceeded', { path: node.ownerPath });
  return permissions;
}

/** The most that the caller can pass on of the node. @throws SharingFailed not-shareable */
export function assertShareable(
  policy: SharingPolicy,
  node: SharedNode,
  caller: Caller,
  coverage: readonly Coverage[],
): number {
  if (node.ownerUid === caller.uid) return ALL;
  const allowed = coverage.reduce((sum, item) => sum | item.permissions, 0);
  if (!policy.resharing || (allowed & SHARE) === 0) throw new SharingFailed('not-shareable', { path: node.ownerPath });
  return allowed;
}

/** @returns the permissions as they will be stored @throws SharingFailed permissions-invalid, -none or -exceeded */
export function assertPermissions(asked: number, node: SharedNode, allowed: number): number {
  const permissions = clampToKind(asked, node.kind);
  if (permissions < 0 || permissions > ALL) throw new SharingFailed('permissions-invalid');
  if (permissions === 0) throw new SharingFailed('permissions-none');
  if (exceeds(permissions, allowed)) throw new SharingFailed('permissions-exceeded', { name: node.name });
  return permissions;
}

export function requiredAttributes(coverage: readonly Coverage[]): ShareAttribute[] {
  return mergeAttributes(coverage.map((item) => attributesFromText(item.attributes)));
}

/** Steps 18 and 19: with whom it may be shared. */
async function assertRecipientAllowed(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  recipient: Recipient,
): Promise<void> {
  if (recipient.type === SHARE_TYPES.group) {
    if (policy.onlyMembershipGroups && !caller.groups.includes(recipient.gid)) throw new SharingFailed('only-membership-groups');
    return;
  }
  const { user } = recipient;
  if (policy.onlyGroupMembers && !user.groups.some((gid) => caller.groups.includes(gid)))
    throw new SharingFailed('only-group-members');
  if (user.uid === node.ownerUid) throw new SharingFailed('with-owner');
  if (user.groups.length > 0 && (await ports.shares.sharedWithGroupOf(node.nodeId, user.groups, node.ownerUid)))
    throw new SharingFailed('already-shared-user');
}

const duplicate = (recipient: Recipient): SharingFailed =>
  new SharingFailed(recipient.type === SHARE_TYPES.user ? 'already-shared-user' : 'already-shared-group');

function newShare(
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  recipient: Recipient,
  decided: { permissions: number; expiresOn: Day | null; attributes: string | null },
): NewShare {
  const accepts = policy.autoAccept && (recipient.type === SHARE_TYPES.group || recipient.user.autoAccept);
  return {
    type: recipient.type,
    node,
    initiatorUid: caller.uid,
    recipient: recipient.type === SHARE_TYPES.user ? recipient.user.uid : recipient.gid,
    fileTarget: `${policy.shareFolder === '/' ? '' : policy.shareFolder}/${node.name}`,
    initialState: accepts ? 'accepted' : 'pending',
    ...decided,
  };
}
