import { SHARE } from '../domain/permissions';
import { mayShare, type SharingPolicy } from '../domain/policy';
import { isRecipient, mayManage, personalRowOf, stateOf, type Share, type ShareView } from '../domain/share';
import { FIRST_PART, type PageKey, type PageRequest } from '../domain/share-page';
import { SharingFailed } from '../domain/sharing-failed';
import { parseStateFilter } from '../domain/state';
import type { Caller, SharingPorts } from '../ports/ports';
import { normalisePath } from '../kinds/command-path';
import type { ShareKinds } from '../kinds/share-kind';
import { SHARE_KINDS } from '../kinds/share-kinds';
import { managedView, managedViews, receivedView } from './share-views';

/** One share. @throws SharingFailed api-disabled, share-unknown: also for shares of other people */
export async function readShare(ports: SharingPorts, caller: Caller, id: number): Promise<ShareView> {
  if (!(await ports.policy.current()).apiEnabled) throw new SharingFailed('api-disabled');
  const found = await ports.shares.findWithCoverage(id, caller.uid);
  if (!found) throw new SharingFailed('share-unknown');
  if (mayManage(found.share, caller.uid)) return managedView(caller, found.share, found.coverage);
  return readReceived(ports, caller, found.share);
}

/** One share as its recipient sees it. @throws SharingFailed share-unknown */
async function readReceived(ports: SharingPorts, caller: Caller, known: Share): Promise<ShareView> {
  let share: Share | undefined = known;
  if (
    !isRecipient(share, caller.uid, caller.groups) ||
    stateOf(share) !== 'accepted' ||
    share.permissions === 0
  )
    throw new SharingFailed('share-unknown');
  if (personalRowOf(share)?.target == null) {
    await ports.tree.placeReceived(caller.uid);
    share = await ports.shares.find(known.id, caller.uid);
    if (!share) throw new SharingFailed('share-unknown');
  }
  return receivedView(share, false);
}

/** A parsed request for a list. */
export interface ListSharesCommand {
  readonly sharedWithMe: boolean;
  /** Text of the request; see parseStateFilter. */
  readonly state: string | undefined;
  readonly reshares: boolean;
  readonly subfiles: boolean;
  readonly path: string | undefined;
  /** undefined: all types. */
  readonly shareTypes: readonly number[] | undefined;
  /** undefined: the whole list, as far as one answer reads it. */
  readonly page: PageRequest | undefined;
}

/** A list, or a part of one. */
export interface SharePage {
  readonly views: readonly ShareView[];
  /** The place where the list continues; undefined at its end. A page can have fewer entries than its limit and not be the last. */
  readonly next: PageKey | undefined;
}

/** The caller's shares, or those they received. @throws SharingFailed path-wrong, not-a-folder */
export async function listShares(
  ports: SharingPorts,
  caller: Caller,
  command: ListSharesCommand,
  kinds: ShareKinds = SHARE_KINDS,
): Promise<SharePage> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) return { views: [], next: undefined };
  const node = command.path ? await findNode(ports, caller, command.path) : undefined;
  if (command.sharedWithMe) {
    const page = await listReceived(ports, caller, command, node?.nodeId);
    return mayShare(policy, caller.groups) ? page : { ...page, views: page.views.map(withoutSharing) };
  }
  if (command.subfiles && node?.kind !== 'folder') throw new SharingFailed('not-a-folder');
  const filter = {
    alsoOthersOfMine: command.reshares,
    types: listedTypes(policy, kinds, command.shareTypes),
    ...(command.subfiles ? { parentNodeId: node!.nodeId } : { nodeId: node?.nodeId }),
  };
  const page = command.page ?? FIRST_PART;
  const shares = await ports.shares.listOwn(caller.uid, filter, withOneMore(page));
  const views = await managedViews(ports.shares, caller, shares.slice(0, page.limit));
  return { views, next: placeBehind(shares, page, command.subfiles) };
}

/** Kinds that the policy turns off are not listed. */
function listedTypes(
  policy: SharingPolicy,
  kinds: ShareKinds,
  asked: readonly number[] | undefined,
): readonly number[] | undefined {
  const listed = [...kinds.values()].filter((kind) => kind.isListed(policy)).map(({ type }) => type);
  if (listed.length === kinds.size) return asked;
  return asked?.filter((type) => listed.includes(type)) ?? listed;
}

async function findNode(ports: SharingPorts, caller: Caller, path: string) {
  const node = await ports.tree.resolve(caller.uid, normalisePath(path));
  if (!node) throw new SharingFailed('path-wrong');
  return node;
}

async function listReceived(
  ports: SharingPorts,
  caller: Caller,
  command: ListSharesCommand,
  nodeId: number | undefined,
): Promise<SharePage> {
  const filter = { state: parseStateFilter(command.state), types: command.shareTypes, nodeId };
  const page = command.page ?? FIRST_PART;
  const place = () => ports.tree.placeReceived(caller.uid);
  const shares = await ports.shares.listReceived(caller.uid, caller.groups, filter, withOneMore(page), place);
  const views = shares.slice(0, page.limit).map((share) => receivedView(share, true));
  return { views, next: placeBehind(shares, page, false) };
}

/** Asks for one share more than the page has, to learn whether the list continues. */
const withOneMore = ({ limit, after }: PageRequest): PageRequest => ({ limit: limit + 1, after });

function placeBehind(shares: readonly Share[], { limit }: PageRequest, byNode: boolean): PageKey | undefined {
  const last = shares.length > limit ? shares[limit - 1] : undefined;
  return last && { nodeName: byNode ? last.node.name : '', shareType: last.type, shareId: last.id };
}

const withoutSharing = (view: ShareView): ShareView => ({ ...view, permissions: view.permissions & ~SHARE });
