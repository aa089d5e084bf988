import { attributesText, permissionsFromAttributes, type ShareAttribute } from '../domain/attributes';
import { differencesOf } from '../domain/compatibility';
import { dayOf, parseExpiryWish, resolveExpiry, type Day } from '../domain/expiry';
import {
  assertLinkAllowed,
  assertLinkPassword,
  assertOnlyForLinks,
  changedLinkPermissions,
  parseLinkName,
} from '../domain/link-rules';
import type { SharingPolicy } from '../domain/policy';
import { isOwn, mayManage, SHARE_TYPES, type LinkShare, type Share, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, Coverage, ShareChange, SharingPorts } from '../ports/ports';
import {
  assertAttributes,
  assertCarried,
  assertEnforced,
  assertPermissions,
  assertShareable,
} from './permission-rules';
import { EXPIRY_SCOPES } from './share-recipient';
import { managedView } from './share-views';

/** An update, as it was parsed; what is undefined was not given. */
export interface UpdateShareCommand {
  readonly id: number;
  readonly permissions: number | undefined;
  readonly expireDate: string | undefined;
  readonly attributes: readonly ShareAttribute[] | undefined;
  /** Links only, as are the next two. */
  readonly publicUpload: boolean | undefined;
  /** Empty: remove it. */
  readonly password: string | undefined;
  /** Empty: clear it. */
  readonly name: string | undefined;
  /** How many of the interface document's arguments were given, those of public links among them; `attributes` is none. */
  readonly argumentCount: number;
}

interface Update {
  readonly ports: SharingPorts;
  readonly policy: SharingPolicy;
  readonly caller: Caller;
  readonly command: UpdateShareCommand;
  /** Shares through which the caller has the node when they do not own it. */
  readonly coverage: readonly Coverage[];
  /** The stored form of the new password; null to remove it, undefined to leave it. */
  readonly passwordHash: string | null | undefined;
}

/** Changes a share. Rules in the reference's order (2.10). @throws SharingFailed */
export async function updateShare(
  ports: SharingPorts,
  caller: Caller,
  command: UpdateShareCommand,
): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  if (command.password) ports.linkSecrets.assertRoomForPassword();
  const known = await ports.shares.find(command.id, caller.uid);
  if (!known) throw new SharingFailed('share-unknown');
  if (!mayManage(known, caller.uid)) throw new SharingFailed('update-not-allowed');
  assertArguments(ports, known, command);
  const coverage = await accessOf(ports, caller, known);
  const passwordHash = await newPasswordHash(ports, policy, known, command.password);
  const update = { ports, policy, caller, command, coverage, passwordHash };
  const share = await ports.shares.update(command.id, caller.uid, (current) => decideChange(update, current));
  if (!share) throw new SharingFailed('share-unknown');
  return managedView(ports.shares, caller, share);
}

/**
 * Shares through which a resharer has the node. A resharer who has lost it can end their share, but not change it.
 * @throws SharingFailed share-unknown
 */
async function accessOf(ports: SharingPorts, caller: Caller, share: Share): Promise<readonly Coverage[]> {
  if (isOwn(share.node, caller.uid)) return [];
  const coverage = await ports.shares.coverage(caller.uid, [share.node.nodeId]);
  if (coverage.length === 0) throw new SharingFailed('share-unknown');
  return coverage;
}

function assertArguments(ports: SharingPorts, share: Share, command: UpdateShareCommand): void {
  const differences = differencesOf(ports.compatibility);
  const isLink = share.type === SHARE_TYPES.link;
  const { argumentCount, attributes } = command;
  const mayBeEmpty = attributes !== undefined || (differences.emptyUpdateSucceeds && !isLink);
  if (argumentCount === 0 && !mayBeEmpty) throw new SharingFailed('update-arguments');
  if (argumentCount > 1 && !differences.severalUpdateArguments) throw new SharingFailed('update-arguments');
  if (!isLink && !differences.linkArgumentsIgnored) assertOnlyForLinks(command);
}

/** Made before the row is locked, since it takes a while. */
async function newPasswordHash(
  ports: SharingPorts,
  policy: SharingPolicy,
  share: Share,
  password: string | undefined,
) {
  if (share.type !== SHARE_TYPES.link || password === undefined) return undefined;
  if (password === '') return null;
  assertLinkPassword(password, policy);
  return ports.linkSecrets.hashPassword(password);
}

function decideChange(update: Update, share: Share): ShareChange {
  const change =
    share.type === SHARE_TYPES.link ? decideLinkChange(update, share) : decideRecipientChange(update, share);
  const { attributes } = update.command;
  if (attributes === undefined) return change;
  const { caller, coverage, ports } = update;
  assertAttributes(attributes, caller, coverage);
  if (share.type === SHARE_TYPES.federated) {
    assertCarried(attributes);
    return change;
  }
  assertEnforced(attributes, coverage, ports.compatibility);
  return { ...change, attributes: attributesText(attributes) };
}

function decideRecipientChange(update: Update, share: Share): ShareChange {
  const { policy, command } = update;
  if (share.type === SHARE_TYPES.group && !policy.groupSharing) throw new SharingFailed('group-sharing-off');
  const expiry = decideExpiry(update, share);
  const asked = command.permissions ?? (command.attributes && permissionsFromAttributes(command.attributes));
  return asked === undefined ? expiry : { ...expiry, permissions: decidePermissions(update, share, asked) };
}

function decideLinkChange(update: Update, share: LinkShare): ShareChange {
  const { policy, command, passwordHash } = update;
  const fromAttributes = command.attributes && permissionsFromAttributes(command.attributes);
  const wish = { permissions: command.permissions ?? fromAttributes, publicUpload: command.publicUpload };
  const mayChange = differencesOf(update.ports.compatibility).linkPermissionsChange;
  const asked = changedLinkPermissions(wish, share.node.kind, policy, mayChange);
  const expiry = decideExpiry(update, share);
  if (!policy.links.enabled) throw new SharingFailed('links-off');
  const permissions = asked === undefined ? undefined : decidePermissions(update, share, asked);
  const hasPassword = passwordHash === undefined ? share.hasPassword : passwordHash !== null;
  if (permissions !== undefined || hasPassword !== share.hasPassword)
    assertLinkAllowed(permissions ?? share.permissions, hasPassword, policy);
  return {
    ...expiry,
    ...(permissions === undefined ? {} : { permissions }),
    ...(command.name === undefined ? {} : { name: parseLinkName(command.name) }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
}

/** A day that is there already is not judged again: settings may have changed since. */
function decideExpiry({ ports, policy, command }: Update, share: Share): { expiresOn?: Day | null } {
  const today = dayOf(ports.clock.now());
  const { phpDates } = differencesOf(ports.compatibility);
  const wish = parseExpiryWish(command.expireDate, today, phpDates ? 'php' : 'documented-or-empty');
  if (wish !== undefined && wish === (share.expiresOn ?? 'none')) return {};
  const expiresOn = resolveExpiry(wish, policy.expiry[EXPIRY_SCOPES[share.type]], today, false);
  return expiresOn === undefined ? {} : { expiresOn };
}

/** The owner may raise a re-share above what its initiator has; its initiator may not. */
function decidePermissions({ policy, caller, coverage }: Update, share: Share, asked: number): number {
  const shareable = assertShareable(policy, share.node, caller, coverage);
  // A server that made the share for us takes nothing but less.
  const isMadeElsewhere = share.type === SHARE_TYPES.federated && share.remoteOwner !== null;
  const allowed = isMadeElsewhere ? shareable & share.permissions : shareable;
  return assertPermissions(asked, share.node, allowed);
}
