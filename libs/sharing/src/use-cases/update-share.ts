import {
  attributesFromText,
  attributesText,
  demands,
  SECOND_FACTOR,
  type ShareAttribute,
} from '../domain/attributes';
import { differencesOf } from '../domain/compatibility';
import { dayOf, parseExpiryWish, resolveExpiry, type Day } from '../domain/expiry';
import { assertLinkPassword, assertOnlyForLinks } from '../domain/link-rules';
import { exceeds } from '../domain/permissions';
import { mayShare } from '../domain/policy';
import { isOwn, mayManage, type Share, type ShareView } from '../domain/share';
import { parseNote } from '../domain/share-note';
import { SharingFailed } from '../domain/sharing-failed';
import type { ChangeContext, ShareKind, ShareKinds } from '../kinds/share-kind';
import { kindOf, SHARE_KINDS } from '../kinds/share-kinds';
import type { UpdateShareCommand } from '../kinds/update-share-command';
import type { Caller, ShareChange, SharingPorts } from '../ports/ports';
import {
  assertAttributes,
  assertKindAttributes,
  assertPermissions,
  assertShareable,
} from './permission-rules';
import { managedView } from './share-views';

interface Update extends Omit<ChangeContext, 'expiry' | 'permissions'> {
  /** Permissions that the caller can pass on. */
  readonly shareable: number;
}

/** Changes a share. The first broken rule decides, in the order of deployed servers. @throws SharingFailed */
export async function updateShare(
  ports: SharingPorts,
  caller: Caller,
  command: UpdateShareCommand,
  kinds: ShareKinds = SHARE_KINDS,
): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  if (command.password) ports.linkSecrets.assertRoomForPassword();
  const found = await ports.shares.findWithCoverage(command.id, caller.uid);
  if (!found) throw new SharingFailed('share-unknown');
  const { share: known, coverage } = found;
  if (!mayManage(known, caller.uid)) throw new SharingFailed('update-not-allowed');
  const kind = kindOf(kinds, known.type);
  assertArguments(ports, kind, command);
  if (!mayShare(policy, caller.groups)) throw new SharingFailed('sharer-excluded');
  // Resharers without access can end their share, but not change it.
  if (!isOwn(known.node, caller.uid) && coverage.length === 0) throw new SharingFailed('share-unknown');
  const shareable = assertShareable(policy, known.node, caller, coverage);
  await kind.assertStillAllowed({ ports, policy, caller }, known);
  const update = { ports, policy, caller, command, coverage, shareable };
  const passwordHash = await newPasswordHash(update, kind);
  const share = await ports.shares.update(command.id, caller.uid, (current) =>
    decideChange({ ...update, passwordHash }, kind, current),
  );
  if (!share) throw new SharingFailed('share-unknown');
  return managedView(caller, share, coverage);
}

function assertArguments(ports: SharingPorts, kind: ShareKind, command: UpdateShareCommand): void {
  const differences = differencesOf(ports.compatibility);
  const { argumentCount, attributes, note } = command;
  const mayBeEmpty =
    attributes !== undefined ||
    note !== undefined ||
    (differences.emptyUpdateSucceeds && !kind.takesLinkArguments);
  if (argumentCount === 0 && !mayBeEmpty) throw new SharingFailed('update-arguments');
  if (argumentCount > 1 && !differences.severalUpdateArguments) throw new SharingFailed('update-arguments');
  if (!kind.takesLinkArguments && !differences.linkArgumentsIgnored) assertOnlyForLinks(command);
}

/** Hashed before the row is locked, since that takes a while. */
async function newPasswordHash(
  { ports, policy, command: { password } }: Omit<Update, 'passwordHash'>,
  kind: ShareKind,
): Promise<string | null | undefined> {
  if (!kind.takesLinkArguments || password === undefined) return undefined;
  if (password === '') return null;
  assertLinkPassword(password, policy);
  return ports.linkSecrets.hashPassword(password);
}

function decideChange(update: Update, kind: ShareKind, share: Share): ShareChange {
  const decided = kind.decideChange(
    {
      ...update,
      expiry: () => decideExpiry(update, kind, share),
      // The owner may raise a reshare above its initiator's permissions; its initiator may not.
      permissions: (asked) =>
        assertPermissions(asked, share.node, update.shareable & kind.permissionsLimit(share)),
    },
    share,
  );
  const { attributes, note } = update.command;
  const change = note === undefined ? decided : { ...decided, note: parseNote(note) };
  const { caller, coverage, ports } = update;
  // A share that gets more is passed on anew; one that only gets less keeps what it was made with.
  if (attributes !== undefined || givesMore(change, share))
    assertAttributes(attributes ?? attributesFromText(share.attributes), caller, coverage);
  if (attributes === undefined) return change;
  assertKindAttributes(kind, attributes, coverage, ports.compatibility);
  if (kind.enforcesAttributes) return { ...change, attributes: attributesText(attributes) };
  assertDemandAsMade(attributes, share);
  return change;
}

/** Whether a change adds permissions, or lets the share last longer. */
function givesMore({ permissions = 0, expiresOn }: ShareChange, share: Share): boolean {
  if (exceeds(permissions, share.permissions)) return true;
  if (expiresOn === undefined || share.expiresOn === null) return false;
  return expiresOn === null || expiresOn > share.expiresOn;
}

/** Most servers get no message about a change, so the demand on them has to stay. @throws SharingFailed demand-only-at-first */
function assertDemandAsMade(attributes: readonly ShareAttribute[], { attributes: made }: Share): void {
  if (demands(attributes, SECOND_FACTOR) !== demands(attributesFromText(made), SECOND_FACTOR))
    throw new SharingFailed('demand-only-at-first');
}

/** An unchanged day is not checked again: settings may have changed since. */
function decideExpiry(
  { ports, policy, command }: Update,
  kind: ShareKind,
  share: Share,
): { expiresOn?: Day | null } {
  const today = dayOf(ports.clock.now());
  const { phpDates } = differencesOf(ports.compatibility);
  const wish = parseExpiryWish(command.expireDate, today, phpDates ? 'php' : 'documented-or-empty');
  if (wish !== undefined && wish === (share.expiresOn ?? 'none')) return {};
  const expiresOn = resolveExpiry(wish, policy.expiry[kind.expiryScope], today, false);
  return expiresOn === undefined ? {} : { expiresOn };
}
