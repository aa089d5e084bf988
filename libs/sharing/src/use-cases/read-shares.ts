import { SHARE } from '../domain/permissions';
import { mayShare } from '../domain/policy';
import { isRecipient, mayManage, personalRowOf, stateOf, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import { parseStateFilter } from '../domain/state';
import type { Caller, SharingPorts } from '../ports/ports';
import { normalisePath } from './create-share';
import { managedView, managedViews, receivedView } from './share-views';

/** One share. @throws SharingFailed api-disabled, share-unknown: also for what the caller has no part in */
export async function readShare(ports: SharingPorts, caller: Caller, id: number): Promise<ShareView> {
  if (!(await ports.policy.current()).apiEnabled) throw new SharingFailed('api-disabled');
  let share = await ports.shares.find(id, caller.uid);
  if (!share) throw new SharingFailed('share-unknown');
  if (mayManage(share, caller.uid)) return managedView(ports.shares, caller, share);
  if (!isRecipient(share, caller.uid, caller.groups) || stateOf(share) !== 'accepted' || share.permissions === 0)
    throw new SharingFailed('share-unknown');
  if (personalRowOf(share)?.target == null) {
    await ports.tree.placeReceived(caller.uid);
    share = await ports.shares.find(id, caller.uid);
    if (!share) throw new SharingFailed('share-unknown');
  }
  return receivedView(share, false);
}

/** A list request, as it was parsed. */
export interface ListSharesCommand {
  readonly sharedWithMe: boolean;
  /** As it was written; see parseStateFilter. */
  readonly state: string | undefined;
  readonly reshares: boolean;
  readonly subfiles: boolean;
  readonly path: string | undefined;
  /** undefined: all types. */
  readonly shareTypes: readonly number[] | undefined;
}

/** The caller's shares, or those he received. @throws SharingFailed path-wrong, not-a-folder */
export async function listShares(ports: SharingPorts, caller: Caller, command: ListSharesCommand): Promise<ShareView[]> {
  const policy = await ports.policy.current();
  if (!policy.apiEnabled) return [];
  const node = command.path ? await findNode(ports, caller, command.path) : undefined;
  if (command.sharedWithMe) {
    const views = await listReceived(ports, caller, command, node?.nodeId);
    return mayShare(policy, caller.groups) ? views : views.map(withoutSharing);
  }
  if (command.subfiles && node?.kind !== 'folder') throw new SharingFailed('not-a-folder');
  const shares = await ports.shares.listOwn(caller.uid, {
    alsoOthersOfMine: command.reshares,
    types: command.shareTypes,
    ...(command.subfiles ? { parentNodeId: node!.nodeId } : { nodeId: node?.nodeId }),
  });
  return managedViews(ports.shares, caller, shares);
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
): Promise<ShareView[]> {
  const state = parseStateFilter(command.state);
  await ports.tree.placeReceived(caller.uid);
  const shares = await ports.shares.listReceived(caller.uid, caller.groups, { state, types: command.shareTypes, nodeId });
  return shares.map((share) => receivedView(share, true));
}

const withoutSharing = (view: ShareView): ShareView => ({ ...view, permissions: view.permissions & ~SHARE });
