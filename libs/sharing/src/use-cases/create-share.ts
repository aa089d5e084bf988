import { attributesText } from '../domain/attributes';
import { differencesOf } from '../domain/compatibility';
import { dayOf, parseExpiryWish, resolveExpiry } from '../domain/expiry';
import { assertOnlyForLinks, parseLinkName, assertLinkPassword } from '../domain/link-rules';
import { holdsShareFolder, mayShare, type SharingPolicy } from '../domain/policy';
import { isOwn, SHARE_TYPES, type SharedNode, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, NewShare, SharingPorts } from '../ports/ports';
import type { CreateShareCommand } from './create-share-command';
import {
  assertAttributes,
  assertCarried,
  assertEnforced,
  assertPermissions,
  assertShareable,
} from './permission-rules';
import { offerShare } from './offer-share';
import {
  assertRecipientAllowed,
  EXPIRY_SCOPES,
  findRecipient,
  findRemote,
  findSource,
  type Recipient,
} from './share-recipient';
import { managedView } from './share-views';

/**
 * Shares a file or folder. The first rule that is broken decides; their order is the reference's (2.4).
 * @throws SharingFailed
 */
export async function createShare(
  ports: SharingPorts,
  caller: Caller,
  command: CreateShareCommand,
): Promise<ShareView> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
  if (command.password) ports.linkSecrets.assertRoomForPassword();
  const path = parsePath(command.path);
  const node = await ports.tree.resolve(caller.uid, path);
  if (!node) throw new SharingFailed('path-wrong');
  const today = dayOf(ports.clock.now());
  const { phpDates, linkArgumentsIgnored } = differencesOf(ports.compatibility);
  const wish = parseExpiryWish(command.expireDate, today, phpDates ? 'php' : 'documented');
  if (command.shareType !== SHARE_TYPES.link && !linkArgumentsIgnored) assertOnlyForLinks(command);
  const recipient = await findRecipient(ports, policy, caller, node, command);
  await assertSharer(ports, policy, caller, node, path);
  const expiresOn = resolveExpiry(wish, policy.expiry[EXPIRY_SCOPES[recipient.type]], today, true) ?? null;
  if (recipient.type === SHARE_TYPES.user && recipient.user.uid === caller.uid)
    throw new SharingFailed('with-yourself');
  if (path === '') throw new SharingFailed('root');
  assertNoShareFolder(policy, caller, node, path);
  const coverage = isOwn(node, caller.uid) ? [] : await ports.shares.coverage(caller.uid, [node.nodeId]);
  const permissions = assertPermissions(
    recipient.asked,
    node,
    assertShareable(policy, node, caller, coverage),
  );
  const attributes = command.attributes ?? [];
  assertAttributes(attributes, caller, coverage);
  if (recipient.type === SHARE_TYPES.federated) assertCarried(attributes);
  else assertEnforced(attributes, coverage, ports.compatibility);
  await assertRecipientAllowed(ports, policy, caller, node, recipient, command);
  if (recipient.type === SHARE_TYPES.federated) {
    const remote = await findRemote(ports, policy, caller, node, recipient.shareWith);
    const received = await findSource(ports, node, remote);
    return offerShare(ports, caller, {
      node,
      initiatorUid: caller.uid,
      permissions,
      expiresOn,
      recipient: remote,
      received,
    });
  }
  const draft = {
    node,
    initiatorUid: caller.uid,
    permissions,
    expiresOn,
    attributes: attributesText(attributes),
  };
  const share = await ports.shares.insert(await newShare(ports, policy, recipient, draft, command));
  if (share === 'gone') throw new SharingFailed('path-wrong');
  if (share === 'duplicate') throw duplicate(recipient);
  return managedView(ports.shares, caller, share);
}

/** Steps 7 and 8: whether the caller shares at all, and whether the folder is theirs to share. */
async function assertSharer(
  ports: SharingPorts,
  policy: SharingPolicy,
  caller: Caller,
  node: SharedNode,
  path: string,
): Promise<void> {
  if (!mayShare(policy, caller.groups)) throw new SharingFailed('sharer-excluded');
  if (node.kind === 'folder' && (await ports.tree.hasMountsBelow(caller.uid, path)))
    throw new SharingFailed('contains-received');
}

/** The default folder for received shares is there for them: it is not given away. @throws SharingFailed not-shareable */
function assertNoShareFolder(policy: SharingPolicy, caller: Caller, node: SharedNode, path: string): void {
  if (node.kind === 'folder' && isOwn(node, caller.uid) && holdsShareFolder(policy, path))
    throw new SharingFailed('not-shareable', { path: `/${caller.uid}/files${path}` });
}

/** The path with one leading slash and no trailing one; `''` for the root. @throws SharingFailed path-missing */
function parsePath(raw: string | undefined): string {
  if (raw === undefined || raw === '') throw new SharingFailed('path-missing');
  return normalisePath(raw);
}

export function normalisePath(raw: string): string {
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new SharingFailed('path-wrong');
  return parts.length === 0 ? '' : `/${parts.join('/')}`;
}

/** A recipient on this instance. */
type LocalRecipient = Exclude<Recipient, { type: typeof SHARE_TYPES.federated }>;

const duplicate = (recipient: LocalRecipient): SharingFailed =>
  new SharingFailed(recipient.type === SHARE_TYPES.group ? 'already-shared-group' : 'already-shared-user');

type Draft = Pick<NewShare, 'node' | 'initiatorUid' | 'permissions' | 'expiresOn' | 'attributes'>;

/** Name of the node for the caller: a received one may have another name in their tree. */
function nameInTreeOf({ path }: CreateShareCommand): string {
  const normal = parsePath(path);
  return normal.slice(normal.lastIndexOf('/') + 1).normalize('NFC');
}

async function newShare(
  ports: SharingPorts,
  policy: SharingPolicy,
  recipient: LocalRecipient,
  draft: Draft,
  command: CreateShareCommand,
): Promise<NewShare> {
  if (recipient.type === SHARE_TYPES.link) {
    const name = parseLinkName(command.name ?? '');
    if (command.password) assertLinkPassword(command.password, policy);
    const passwordHash = command.password ? await ports.linkSecrets.hashPassword(command.password) : null;
    const fileTarget = `/${nameInTreeOf(command)}`;
    return {
      ...draft,
      type: SHARE_TYPES.link,
      shareToken: ports.linkSecrets.newToken(),
      passwordHash,
      name,
      fileTarget,
    };
  }
  const folder = policy.shareFolder === '/' ? '' : policy.shareFolder;
  const accepts = policy.autoAccept && (recipient.type === SHARE_TYPES.group || recipient.user.autoAccept);
  return {
    ...draft,
    type: recipient.type,
    recipient: recipient.type === SHARE_TYPES.user ? recipient.user.uid : recipient.gid,
    fileTarget: `${folder}/${nameInTreeOf(command)}`,
    initialState: accepts ? 'accepted' : 'pending',
  };
}
