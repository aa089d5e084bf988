import { SharingFailed } from '../domain/sharing-failed';
import { isOwn, personalRowOf, SHARE_TYPES, type Share, type ShareView, stateOf } from '../domain/share';
import type { Caller, Coverage, ShareStore } from '../ports/ports';

/**
 * Shares as the user who manages them sees them: their own files by their own path, files of others by the path of the
 * received share that contains them. Shares of nodes that they can no longer reach are left out.
 */
export async function managedViews(
  store: ShareStore,
  caller: Caller,
  shares: readonly Share[],
): Promise<ShareView[]> {
  const foreign = shares.filter((share) => !isOwn(share.node, caller.uid));
  const coverage = foreign.length === 0 ? [] : await store.coverage(caller.uid, nodeIdsOf(foreign));
  return coveredViews(caller, shares, coverage);
}

/** The same, with the received shares that contain the nodes of other owners. */
function coveredViews(caller: Caller, shares: readonly Share[], coverage: readonly Coverage[]): ShareView[] {
  const byNode = new Map<number, Coverage>();
  for (const item of coverage) if (item.direct || !byNode.has(item.nodeId)) byNode.set(item.nodeId, item);
  return shares.flatMap((share) => {
    if (isOwn(share.node, caller.uid)) return [ownView(share)];
    const covering = byNode.get(share.node.nodeId);
    return covering ? [coveredView(share, covering)] : [];
  });
}

const nodeIdsOf = (shares: readonly Share[]): number[] => [
  ...new Set(shares.map((share) => share.node.nodeId)),
];

/** Target that managers see: the recipient's own one for a user share, the requested one for a group share. */
function managedTarget(share: Share): string {
  return share.type === SHARE_TYPES.user ? (share.personal?.target ?? share.fileTarget) : share.fileTarget;
}

function ownView(share: Share): ShareView {
  return {
    share,
    path: share.node.ownerPath,
    parentId: share.node.parentId,
    fileTarget: managedTarget(share),
    mountTarget: null,
    permissions: share.permissions,
  };
}

function coveredView(share: Share, covering: Coverage): ShareView {
  return {
    share,
    path: covering.path,
    parentId: covering.direct ? covering.folderId : share.node.parentId,
    fileTarget: managedTarget(share),
    mountTarget: covering.mountTarget,
    permissions: share.permissions,
  };
}

/**
 * A received share as its recipient sees it; `withState` where lists and decisions show the state. Elsewhere, a
 * group share shows the requested target, as in deployed servers.
 */
export function receivedView(share: Share, withState: boolean): ShareView {
  const state = stateOf(share);
  const personal = personalRowOf(share);
  const target = personal?.target ?? share.fileTarget;
  return {
    share,
    path: target,
    parentId: personal?.folderId ?? share.node.parentId,
    fileTarget: withState || share.type !== SHARE_TYPES.group ? target : share.fileTarget,
    mountTarget: state === 'accepted' ? target : null,
    ...(withState ? { state } : {}),
    permissions: share.permissions,
  };
}

/**
 * One share as the user who manages it sees it.
 * @param coverage the ways in which they have its node; none for their own node
 * @throws SharingFailed share-unknown when they have no access to the node
 */
export function managedView(caller: Caller, share: Share, coverage: readonly Coverage[]): ShareView {
  const [view] = coveredViews(caller, [share], coverage);
  if (!view) throw new SharingFailed('share-unknown');
  return view;
}
