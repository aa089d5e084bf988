import { hasFiles } from '#federation/protocol';
import type { DueShare, ShareWatchPorts, ShownEntry, Showing } from '../ports/share-watch';
import { autoAccept } from './auto-accept';
import { refreshFolders } from './refresh-folders';
import { afterProbe, type ProbeResult, type ShareUse, type WatchDecision } from './share-watch';
import { phrase } from '#sharing';

const ROOT = '';
/** A share without files has no content that could change. */
const UNUSED: ShareUse = {
  recipientIsActive: false,
  isInUse: false,
  inUseThere: 0,
  partnerReports: false,
};

/** Result of a probe, and whether the partner answered at all. */
export interface Probed {
  readonly result: ProbeResult;
  readonly isAway: boolean;
}

/**
 * Probes one received share, stores what its server shows, and decides the next state: an offer becomes verified, an accepted share
 * is refreshed or quarantined, a lost share comes back. A share with a web application alone shows nothing: its server confirms it.
 * @param isPartnerWell called only when it matters: a refusal by a server that is not well says nothing
 */
export async function probeShare<Share extends DueShare, Entry extends ShownEntry>(
  ports: ShareWatchPorts<Share, Entry>,
  share: Share,
  isPartnerWell: () => Promise<boolean>,
): Promise<Probed> {
  const { content } = ports;
  const showing = hasFiles(share.access) ? await content.show(share, ROOT, 0) : await content.confirm(share);
  if (showing.kind === 'shown') await keep(ports, share, showing.entries[0]);
  const result = await resultOf(share, showing, isPartnerWell);
  const { nowMs } = share;
  const use = hasFiles(share.access) ? share.use : UNUSED;
  const decision = afterProbe(share, result, { nowMs, use, chance: ports.random.next() });
  await carryOut(ports, share, decision);
  // From now on its sender is proven.
  if (share.state === 'pending' && result === 'seen') await autoAccept(ports.acceptance, share);
  return { result, isAway: showing.kind === 'away' };
}

async function resultOf(
  share: DueShare,
  { kind }: Showing<unknown>,
  isPartnerWell: () => Promise<boolean>,
): Promise<ProbeResult> {
  if (kind === 'shown' || kind === 'confirmed') return 'seen';
  const counts = kind === 'refused' && (share.state === 'pending' || (await isPartnerWell()));
  return counts ? 'refused' : 'silent';
}

/** The content of a lost share is read only when somebody opens it again. */
async function keep<Share extends DueShare, Entry extends ShownEntry>(
  ports: ShareWatchPorts<Share, Entry>,
  share: Share,
  root: Entry,
): Promise<void> {
  if (share.state === 'gone') return;
  if (share.state === 'pending') return ports.content.describeOffer(share, root);
  await ports.content.record(share, ROOT, 0, [root]);
  if (root.etag !== share.etag) await refreshFolders(ports, share);
}

async function carryOut<Share extends DueShare, Entry extends ShownEntry>(
  { shares }: ShareWatchPorts<Share, Entry>,
  share: Share,
  decision: WatchDecision,
): Promise<void> {
  const isPlaced = hasFiles(share.access);
  // A lost share gets its old place back if that is still free.
  if (isPlaced && share.state === 'gone' && decision.state === 'accepted')
    return shares.takeBack(share, decision, share.fileTarget ?? `/${share.name}`);
  await shares.finish(share, decision);
  if (isPlaced && share.state === 'accepted' && share.etag === null) await shares.announceFirstProbe(share);
  // Its server may have been away for too long to be told.
  const isBack = share.unreachableSinceMs !== null && decision.unreachableSinceMs === null;
  if (isBack && share.state === 'accepted' && decision.state === 'accepted')
    await shares.repeatAcceptance(share);
  if (share.state === 'pending') await shares.noteDoubt(share, decision.verified ? '' : doubtAbout(share));
}

/** Text that the notification of an offer shows. */
const doubtAbout = ({ hostKey }: DueShare): string => phrase('offerInDoubt', { server: hostKey });
