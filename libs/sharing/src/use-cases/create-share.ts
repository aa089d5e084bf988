import { differencesOf } from '../domain/compatibility';
import { dayOf, parseExpiryWish, resolveExpiry } from '../domain/expiry';
import { assertOnlyForLinks } from '../domain/link-rules';
import { holdsShareFolder, mayShare } from '../domain/policy';
import { isOwn, type Share, type SharedNode, type ShareView } from '../domain/share';
import { parseNote } from '../domain/share-note';
import { SharingFailed, type SharingFailure } from '../domain/sharing-failed';
import { nameInTreeOf, parseCommandPath } from '../kinds/command-path';
import type { CreateShareCommand } from '../kinds/create-share-command';
import type { NewShareContext, ShareDraft, ShareKind, ShareKinds } from '../kinds/share-kind';
import { SHARE_KINDS } from '../kinds/share-kinds';
import type { Caller, Coverage, InsertRefusal, ShareOfPath, SharingPorts } from '../ports/ports';
import {
  assertAttributes,
  assertKindAttributes,
  assertPermissions,
  assertShareable,
} from './permission-rules';
import { managedView } from './share-views';

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
  const kind = kinds.get(command.shareType);
  const call = { ports, policy, caller, command };
  const wish = await shareOfOwnNode(call, path, kind);
  const shared = wish && (await ports.tree.share(path, wish));
  const made = shared?.made;
  if (made !== undefined && made !== 'gone')
    return managedView(caller, storedOr(made, duplicateOf(kind)), []);
  // If something is gone since the rules were applied, they are applied again: they name what is gone.
  const found =
    shared && shared.made === undefined
      ? shared
      : { node: await ports.tree.resolve(caller.uid, path), coverage: undefined };
  if (!found.node) throw new SharingFailed('path-wrong');
  return share({ ...call, node: found.node }, path, kind, found.coverage);
}

type Call = Omit<NewShareContext, 'node'>;

/**
 * The share that follows from the rules if the path leads to the caller's own node, which most do: it is then looked up and shared in one
 * step. undefined if a rule forbids it, so that the rules decide again for the node that is there; and for a password, which is
 * hashed only for a node that exists.
 */
async function shareOfOwnNode(
  call: Call,
  path: string,
  kind: ShareKind | undefined,
): Promise<ShareOfPath | undefined> {
  const { caller, command } = call;
  if (!kind || !('newShare' in kind) || command.password) return undefined;
  const own = { name: nameInTreeOf(command), ownerPath: path, ownerUid: caller.uid, isRemote: false };
  const decide = (nodeKind: 'file' | 'folder') =>
    unlessRefused(() => decideFor({ ...call, node: { ...own, kind: nodeKind } }, path, kind, OWN_NODE));
  const [file, folder] = [await decide('file'), await decide('folder')];
  const decision = file ?? folder;
  if (!decision) return undefined;
  const context = { ...call, node: { ...own, kind: file ? ('file' as const) : ('folder' as const) } };
  const share = await unlessRefused(() => kind.newShare(context, decision.recipient, decision.draft));
  const permissions = { file: file?.draft.permissions, folder: folder?.draft.permissions };
  return share && { share, permissions };
}

async function unlessRefused<Result>(decide: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof SharingFailed) return undefined;
    throw error;
  }
}

async function share(
  context: NewShareContext<SharedNode>,
  path: string,
  kind: ShareKind | undefined,
  known: readonly Coverage[] | undefined,
): Promise<ShareView> {
  const { ports, caller, node } = context;
  const { uid } = caller;
  const decision = await decideFor(context, path, kind, {
    hasMountsBelow: () => ports.tree.hasMountsBelow(uid, path),
    coverage: async () => known ?? ports.shares.coverage(uid, [node.nodeId]),
  });
  return managedView(caller, await store(context, decision), decision.coverage);
}

async function store(
  context: NewShareContext<SharedNode>,
  { kind, recipient, draft }: Decision,
): Promise<Share> {
  if (!('newShare' in kind)) return kind.store(context, recipient, draft);
  const share = await kind.newShare(context, recipient, draft);
  const made = await context.ports.shares.insert({ ...share, node: context.node });
  // The recipient may be gone rather than the node.
  if (made === 'gone') await kind.findRecipient(context);
  return storedOr(made, kind.duplicate);
}

/** Questions of the rules about a node, beyond its facts. */
interface NodeQuestions {
  hasMountsBelow(): Promise<boolean>;
  coverage(): Promise<readonly Coverage[]>;
}

/** Answers for an own node that is shared only if nothing is mounted below it. */
const OWN_NODE: NodeQuestions = {
  hasMountsBelow: () => Promise.resolve(false),
  coverage: () => Promise.resolve([]),
};

interface Decision {
  readonly kind: ShareKind;
  readonly recipient: unknown;
  readonly draft: ShareDraft;
  readonly coverage: readonly Coverage[];
}

/** Decides whether the node is shared, and how. @throws SharingFailed */
async function decideFor(
  context: NewShareContext,
  path: string,
  kind: ShareKind | undefined,
  questions: NodeQuestions,
): Promise<Decision> {
  const { ports, policy, caller, node, command } = context;
  const today = dayOf(ports.clock.now());
  const { phpDates, linkArgumentsIgnored } = differencesOf(ports.compatibility);
  const wish = parseExpiryWish(command.expireDate, today, phpDates ? 'php' : 'documented');
  if (!kind?.takesLinkArguments && !linkArgumentsIgnored) assertOnlyForLinks(command);
  if (!kind) throw new SharingFailed('share-type-unknown');
  const recipient = await kind.findRecipient(context);
  const asked = kind.requestedPermissions(context);
  await assertSharer(context, questions);
  const expiresOn = resolveExpiry(wish, policy.expiry[kind.expiryScope], today, true) ?? null;
  if (kind.isCaller(recipient, caller)) throw new SharingFailed('with-yourself');
  if (path === '') throw new SharingFailed('root');
  assertNoShareFolder(context, path);
  const coverage = isOwn(node, caller.uid) ? [] : await questions.coverage();
  const permissions = assertPermissions(asked, node, assertShareable(policy, node, caller, coverage));
  const attributes = command.attributes ?? [];
  assertAttributes(attributes, caller, coverage);
  assertKindAttributes(kind, attributes, coverage, ports.compatibility);
  parseNote(command.note ?? '');
  await kind.assertAllowed(context, recipient);
  return { kind, recipient, draft: { permissions, expiresOn, attributes }, coverage };
}

/** @throws SharingFailed path-wrong if the node is gone, or `duplicate` if the recipient has it already */
function storedOr(made: Share | InsertRefusal, duplicate: SharingFailure): Share {
  if (made === 'gone') throw new SharingFailed('path-wrong');
  if (made === 'duplicate') throw new SharingFailed(duplicate);
  return made;
}

const duplicateOf = (kind: ShareKind | undefined): SharingFailure =>
  kind && 'duplicate' in kind ? kind.duplicate : 'share-unknown';

/** Checks that the caller may share at all, and may share this folder. */
async function assertSharer(
  { policy, caller, node }: NewShareContext,
  questions: NodeQuestions,
): Promise<void> {
  if (!mayShare(policy, caller.groups)) throw new SharingFailed('sharer-excluded');
  if (node.kind === 'folder' && (await questions.hasMountsBelow()))
    throw new SharingFailed('contains-received');
}

/** Refuses to share the caller's own folder for received shares. @throws SharingFailed not-shareable */
function assertNoShareFolder({ policy, caller, node }: NewShareContext, path: string): void {
  if (node.kind === 'folder' && isOwn(node, caller.uid) && holdsShareFolder(policy, path))
    throw new SharingFailed('not-shareable', { path: `/${caller.uid}/files${path}` });
}
