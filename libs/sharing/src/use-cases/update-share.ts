import { attributesText, permissionsFromAttributes, repeats, type ShareAttribute } from '../domain/attributes';
import { differencesOf } from '../domain/compatibility';
import { dayOf, resolveExpiry } from '../domain/expiry';
import type { SharingPolicy } from '../domain/policy';
import { mayManage, SHARE_TYPES, type Share, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, ShareChange, SharingPorts } from '../ports/ports';
import { assertPermissions, assertShareable, parseExpiryWish, requiredAttributes } from './create-share';
import { managedView } from './share-views';

/** An update, as it was parsed; what is undefined was not given. */
export interface UpdateShareCommand {
  readonly id: number;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** How many of the arguments that an update knows were given, those of public links among them. */
  readonly argumentCount: number;
}

/** Changes a share. Rules in the reference's order (2.10). @throws SharingFailed */
export async function updateShare(ports: SharingPorts, caller: Caller, command: UpdateShareCommand): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  const known = await ports.shares.find(command.id, caller.uid);
  if (!known) throw new SharingFailed('share-unknown');
  if (!mayManage(known, caller.uid)) throw new SharingFailed('update-not-allowed');
  assertArgumentCount(ports, command.argumentCount);
  const share = await ports.shares.update(command.id, caller.uid, (current) =>
    decideChange(ports, policy, caller, current, command),
  );
  if (!share) throw new SharingFailed('share-unknown');
  return managedView(ports.shares, caller, share);
}

function assertArgumentCount(ports: SharingPorts, count: number): void {
  const differences = differencesOf(ports.compatibility);
  if (count === 0 && !differences.emptyUpdateSucceeds) throw new SharingFailed('update-arguments');
  if (count > 1 && !differences.severalUpdateArguments) throw new SharingFailed('update-arguments');
}

async function decideChange(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  share: Share,
  command: UpdateShareCommand,
): Promise<ShareChange> {
  const today = dayOf(ports.clock.now());
  const wish = parseExpiryWish(command.expireDate, today);
  if (share.type === SHARE_TYPES.group && !policy.groupSharing) throw new SharingFailed('group-sharing-off');
  const rule = share.type === SHARE_TYPES.user ? policy.expiry.user : policy.expiry.group;
  const unchanged = wish !== undefined && wish === (share.expiresOn ?? 'none');
  const expiresOn = unchanged ? undefined : resolveExpiry(wish, rule, today, false);
  const asked = command.permissions ?? (command.attributes && permissionsFromAttributes(command.attributes));
  const change = {
    ...(expiresOn === undefined ? {} : { expiresOn }),
    ...(command.attributes === undefined ? {} : { attributes: attributesText(command.attributes) }),
  };
  if (asked === undefined) return change;
  return { ...change, permissions: await decidePermissions(ports, policy, caller, share, asked, command.attributes) };
}

/** The owner may raise a re-share above what its initiator has; its initiator may not. */
async function decidePermissions(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  share: Share,
  asked: number,
  attributes: readonly ShareAttribute[] | undefined,
): Promise<number> {
  const own = share.node.ownerUid === caller.uid;
  const coverage = own ? [] : await ports.shares.coverage(caller.uid, [share.node.nodeId]);
  const allowed = assertShareable(policy, share.node, caller, coverage);
  const permissions = assertPermissions(asked, share.node, allowed);
  if (attributes !== undefined && !repeats(attributes, requiredAttributes(coverage)))
    throw new SharingFailed('attributes-exceeded', { path: share.node.ownerPath });
  return permissions;
}
