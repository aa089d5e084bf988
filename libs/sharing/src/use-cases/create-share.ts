import { differencesOf } from '../domain/compatibility';
import { dayOf, parseExpiryWish, resolveExpiry } from '../domain/expiry';
import { assertOnlyForLinks } from '../domain/link-rules';
import { holdsShareFolder, mayShare } from '../domain/policy';
import { isOwn, type ShareView } from '../domain/share';
import { parseNote } from '../domain/share-note';
import { SharingFailed } from '../domain/sharing-failed';
import { parseCommandPath } from '../kinds/command-path';
import type { CreateShareCommand } from '../kinds/create-share-command';
import type { NewShareContext, ShareKind, ShareKinds } from '../kinds/share-kind';
import { SHARE_KINDS } from '../kinds/share-kinds';
import type { Caller, SharingPorts } from '../ports/ports';
import {
  assertAttributes,
  assertKindAttributes,
  assertPermissions,
  assertShareable,
} from './permission-rules';
import { madeView } from './share-views';

/**
 * Shares a file or folder. The first broken rule decides, in the order of deployed servers.
 * @throws SharingFailed
 */
export async function createShare(
  ports: SharingPorts,
  caller: Caller,
  command: CreateShareCommand,
  kinds: ShareKinds = SHARE_KINDS,
): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  if (command.password) ports.linkSecrets.assertRoomForPassword();
  const path = parseCommandPath(command.path);
  const node = await ports.tree.resolve(caller.uid, path);
  if (!node) throw new SharingFailed('path-wrong');
  return share({ ports, policy, caller, node, command }, path, kinds.get(command.shareType));
}

async function share(
  context: NewShareContext,
  path: string,
  kind: ShareKind | undefined,
): Promise<ShareView> {
  const { ports, policy, caller, node, command } = context;
  const today = dayOf(ports.clock.now());
  const { phpDates, linkArgumentsIgnored } = differencesOf(ports.compatibility);
  const wish = parseExpiryWish(command.expireDate, today, phpDates ? 'php' : 'documented');
  if (!kind?.takesLinkArguments && !linkArgumentsIgnored) assertOnlyForLinks(command);
  if (!kind) throw new SharingFailed('share-type-unknown');
  const recipient = await kind.findRecipient(context);
  const asked = kind.requestedPermissions(context);
  await assertSharer(context, path);
  const expiresOn = resolveExpiry(wish, policy.expiry[kind.expiryScope], today, true) ?? null;
  if (kind.isCaller(recipient, caller)) throw new SharingFailed('with-yourself');
  if (path === '') throw new SharingFailed('root');
  assertNoShareFolder(context, path);
  const coverage = isOwn(node, caller.uid) ? [] : await ports.shares.coverage(caller.uid, [node.nodeId]);
  const permissions = assertPermissions(asked, node, assertShareable(policy, node, caller, coverage));
  const attributes = command.attributes ?? [];
  assertAttributes(attributes, caller, coverage);
  assertKindAttributes(kind, attributes, coverage, ports.compatibility);
  parseNote(command.note ?? '');
  await kind.assertAllowed(context, recipient);
  const stored = await kind.store(context, recipient, { permissions, expiresOn, attributes });
  return madeView(caller, stored, coverage);
}

/** Checks that the caller may share at all, and may share this folder. */
async function assertSharer({ ports, policy, caller, node }: NewShareContext, path: string): Promise<void> {
  if (!mayShare(policy, caller.groups)) throw new SharingFailed('sharer-excluded');
  if (node.kind === 'folder' && (await ports.tree.hasMountsBelow(caller.uid, path)))
    throw new SharingFailed('contains-received');
}

/** Refuses to share the caller's own folder for received shares. @throws SharingFailed not-shareable */
function assertNoShareFolder({ policy, caller, node }: NewShareContext, path: string): void {
  if (node.kind === 'folder' && isOwn(node, caller.uid) && holdsShareFolder(policy, path))
    throw new SharingFailed('not-shareable', { path: `/${caller.uid}/files${path}` });
}
