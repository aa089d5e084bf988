import {
  isMounted,
  LISTED_STATES,
  MOUNTED_STATES,
  receivedStateAfter,
  temporaryMountPoints,
  type ReceivedShare,
  type ReceivedShareEvent,
} from '../domain/received-share';
import type { ReceivedShareDecision, ReceivedSharePorts } from '../ports/received-shares';

/** Maximum length of a reason that is sent to the owner, in characters. */
const MOST_REASON = 500;

/** Refusals of calls about one received share: the caller has no share with this id, or it ended. */
export type ReceivedShareFailure = 'nothing-to-read' | 'nothing-to-decide' | 'nothing-to-leave';

export class ReceivedShareRefused extends Error {
  constructor(readonly failure: ReceivedShareFailure) {
    super(failure);
  }
}

/** A received share as its recipient sees it. */
export interface ReceivedShareView {
  readonly share: ReceivedShare;
  /** Path in the recipient's tree; a placeholder while the share is pending, empty for a share without files. */
  readonly mountPoint: string;
}

/** The caller's accepted shares. */
export async function listAcceptedShares(
  ports: ReceivedSharePorts,
  recipientUid: string,
): Promise<ReceivedShareView[]> {
  return (await ports.received.list(recipientUid, MOUNTED_STATES)).map(mountedView);
}

/** The caller's pending shares. */
export async function listPendingShares(
  ports: ReceivedSharePorts,
  recipientUid: string,
): Promise<ReceivedShareView[]> {
  const shares = await ports.received.list(recipientUid, ['pending']);
  await noteSeen(ports, recipientUid, shares);
  return pendingViews(shares);
}

async function noteSeen(
  ports: ReceivedSharePorts,
  recipientUid: string,
  shares: readonly ReceivedShare[],
): Promise<void> {
  const unseen = shares.filter(({ state, isSeen }) => state === 'pending' && !isSeen);
  if (unseen.length > 0) await ports.received.noteSeen(recipientUid, unseen);
}

/** Accepted shares first. Pending ones have the path that they would get in the root. */
export async function listAllReceivedShares(
  ports: ReceivedSharePorts,
  recipientUid: string,
): Promise<ReceivedShareView[]> {
  const shares = await ports.received.list(recipientUid, LISTED_STATES);
  await noteSeen(ports, recipientUid, shares);
  return [
    ...shares.filter(isMounted).map(mountedView),
    ...shares.filter((share) => !isMounted(share)).map((share) => ({ share, mountPoint: `/${share.name}` })),
  ];
}

/** @throws ReceivedShareRefused nothing-to-read */
export async function readReceivedShare(
  ports: ReceivedSharePorts,
  recipientUid: string,
  id: number,
): Promise<ReceivedShareView> {
  const share = await ports.received.find(id, recipientUid);
  if (share && isMounted(share)) return mountedView(share);
  // The placeholder for its mount point depends on the other pending shares.
  const views = share?.state === 'pending' ? await listPendingShares(ports, recipientUid) : [];
  const view = views.find((candidate) => candidate.share.id === id);
  if (!view) throw new ReceivedShareRefused('nothing-to-read');
  return view;
}

/**
 * Accepts a share. An accepted share stays as and where it is.
 * @throws ReceivedShareRefused nothing-to-decide
 */
export async function acceptReceivedShare(
  ports: ReceivedSharePorts,
  recipientUid: string,
  id: number,
): Promise<ReceivedShareView> {
  const { shareFolder } = await ports.policy.current();
  let mounted: ReceivedShare | undefined;
  const accepted = await ports.received.decide(id, recipientUid, (current) => {
    if (isMounted(current)) mounted = current;
    return decisionOf(current, 'accept', { shareFolder, reason: null });
  });
  const share = accepted ?? mounted;
  if (!share) throw new ReceivedShareRefused('nothing-to-decide');
  return mountedView(share);
}

/**
 * Declines a pending share or leaves an accepted one.
 * @param reason text for its owner @throws ReceivedShareRefused nothing-to-decide
 */
export async function declineReceivedShare(
  ports: ReceivedSharePorts,
  recipientUid: string,
  id: number,
  reason?: string,
): Promise<void> {
  if (!(await end(ports, recipientUid, id, reason))) throw new ReceivedShareRefused('nothing-to-decide');
}

/** Leaves an accepted share, at the address of accepted shares. @throws ReceivedShareRefused nothing-to-leave */
export async function leaveReceivedShare(
  ports: ReceivedSharePorts,
  recipientUid: string,
  id: number,
  reason?: string,
): Promise<void> {
  if (!(await end(ports, recipientUid, id, reason))) throw new ReceivedShareRefused('nothing-to-leave');
}

async function end(ports: ReceivedSharePorts, recipientUid: string, id: number, said = ''): Promise<boolean> {
  const reason = said.trim().slice(0, MOST_REASON) || null;
  const ended = await ports.received.decide(id, recipientUid, (current) =>
    decisionOf(current, 'decline', { shareFolder: '/', reason }),
  );
  return ended !== undefined;
}

function decisionOf(
  { state }: ReceivedShare,
  event: Exclude<ReceivedShareEvent, 'revoke'>,
  effect: Pick<ReceivedShareDecision, 'shareFolder' | 'reason'>,
): ReceivedShareDecision | undefined {
  const next = receivedStateAfter(state, event);
  return next === 'accepted' || next === 'declined' ? { state: next, ...effect } : undefined;
}

function pendingViews(shares: readonly ReceivedShare[]): ReceivedShareView[] {
  const mountPoints = temporaryMountPoints(shares);
  return shares.map((share) => ({ share, mountPoint: mountPoints.get(share.id)! }));
}

const mountedView = (share: ReceivedShare): ReceivedShareView => ({
  share,
  mountPoint: share.hasFiles ? (share.fileTarget ?? `/${share.name}`) : '',
});
