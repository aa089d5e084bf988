import type { DueShare, ShareWatchPorts, ShownEntry } from '../ports/share-watch';
import { probeShare } from './probe-share';
import { SPACING_MS } from './share-watch';

const LIMITS = {
  /** Maximum number of partners in one round, so that it ends. */
  partners: 100,
  /** Every partner gets a turn in every round, even beside one with thousands of shares. */
  sharesPerPartner: 10,
  /** Longer than a visit can take. */
  leaseMs: 3 * 60_000,
};
const PARTNERS_AT_ONCE = 10;
/** Number of failed contacts in a row after which a visit ends. */
const AWAY_AT_MOST = 2;
/**
 * Pause after a partner was away for a whole visit. A single probed share is not enough evidence: a
 * request can be late on a busy machine, and the share's own next probe comes soon.
 */
const AWAY_PAUSE_MS = 5 * 60_000;
/**
 * The pause of a partner ends this much before its requests are paid, so that a round that begins a little early does not leave it
 * out. Rounds come every two seconds, so the average stays at five requests a second.
 */
const ROUND_SLACK_MS = 600;

/**
 * Probes received shares that are due: offers to verify them, accepted shares to refresh their listings, doubtful
 * and lost shares to decide about them. The rest is left to the next round. Several rounds at once, in any workers, take different
 * partners.
 */
export async function watchRound<Share extends DueShare, Entry extends ShownEntry>(
  ports: ShareWatchPorts<Share, Entry>,
): Promise<void> {
  const claimed = await ports.shares.claim(LIMITS);
  const visits = [...Map.groupBy(claimed, ({ peerId }) => peerId).values()];
  const next = async (): Promise<void> => {
    for (let visit = visits.shift(); visit; visit = visits.shift()) await visitPartner(ports, visit);
  };
  await Promise.all(Array.from({ length: PARTNERS_AT_ONCE }, next));
}

/** Probes shares of one partner, one after the other. */
async function visitPartner<Share extends DueShare, Entry extends ShownEntry>(
  ports: ShareWatchPorts<Share, Entry>,
  shares: readonly Share[],
): Promise<void> {
  const { peerId, hostKey, nowMs: beganAtMs } = shares[0]!;
  // The server is asked once, when the first refusal needs the answer.
  let well: Promise<boolean> | undefined;
  const isPartnerWell = (): Promise<boolean> => (well ??= ports.isWell(hostKey));
  let [awayInARow, wasThere, asked] = [0, false, 0];
  try {
    for (const share of shares) {
      if (ports.isStopped() || awayInARow >= AWAY_AT_MOST) break;
      asked++;
      const { result, isAway } = await probeShare(ports, share, isPartnerWell);
      if (result === 'refused') ports.onRefusal(share);
      awayInARow = isAway ? awayInARow + 1 : 0;
      wasThere ||= !isAway;
    }
    const isAway = !wasThere && asked >= AWAY_AT_MOST && !ports.isStopped();
    const pauseMs = isAway ? AWAY_PAUSE_MS : Math.max(0, asked * SPACING_MS - ROUND_SLACK_MS);
    await ports.shares.leavePartner(peerId, beganAtMs + pauseMs);
  } catch (error) {
    // The partner's shares can be claimed again when the lease ends; other partners do not wait.
    ports.onFailure(hostKey, error);
  }
}
