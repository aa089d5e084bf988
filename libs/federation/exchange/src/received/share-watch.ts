import type { ReceivedShareState } from '#sharing';

/**
 * Result of probing the root of a received share:
 * - `seen`: its server showed it
 * - `refused`: its server is well, and says that there is no such share (401, 403, 404)
 * - `silent`: anything else: no answer, an answer that cannot be understood, a refusal by a server that is not well
 */
export type ProbeResult = 'seen' | 'refused' | 'silent';

/** States in which a share's server is probed; `gone` only if probes caused it, not the owner. */
export type WatchedState = Exclude<ReceivedShareState, 'declined'>;

/** A received share, with the fields that probes change. Times are UNIX milliseconds. */
export interface WatchedShare {
  readonly state: WatchedState;
  /** Whether its server showed it before it was accepted. */
  readonly verified: boolean;
  /** Number of refusals that count; before the share was verified: number of failed probes. */
  readonly failedProbes: number;
  readonly unreachableSinceMs: number | null;
  readonly quarantinedAtMs: number | null;
  readonly goneAtMs: number | null;
}

/** Use of a mounted share, and other facts that decide how often its server is asked. */
export interface ShareUse {
  /** Whether the recipient used the instance recently. */
  readonly recipientIsActive: boolean;
  /** Whether their clients read the share within the last minutes. */
  readonly isInUse: boolean;
  /** Number of shares of the same partner that are in use. */
  readonly inUseThere: number;
  /** Whether the partner reports changes of content itself. */
  readonly partnerReports: boolean;
}

/** Facts outside of the share that decide the time of the next probe. */
export interface WatchCircumstances {
  readonly nowMs: number;
  readonly use: ShareUse;
  /** From 0 (included) to 1 (excluded): spreads the next probes of shares that were probed together. */
  readonly chance: number;
}

export interface WatchDecision extends WatchedShare {
  /** null: never, unless another event sets a time. */
  readonly nextProbeAtMs: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Days for which a lost share is kept, in case its server shows it again. */
export const KEPT_LOST_DAYS = 30;
/** Number of counted refusals after which a share is given up. */
const REFUSALS = 3;
/** The second refusal counts only after this pause, and so does the third: a day lies between the first and the last. */
const REFUSAL_SPACING_MS = DAY_MS / (REFUSALS - 1);

/** State of a share that somebody else reported as ended: the next refusal ends it. */
export const ONE_REFUSAL_LEFT = { failedProbes: REFUSALS - 1, sinceMs: DAY_MS };
/** Duration of that doubt while its server still shows the share, because that server may learn of the end late. */
const DOUBT_MS = 10 * MINUTE_MS;

/** Time for which a share counts as in use after it was read. */
export const IN_USE_FOR_MS = 5 * MINUTE_MS;
/** Minimum time between two notes of use. */
export const USE_NOTED_MS = MINUTE_MS;
/** Average pause between requests to one partner for its shares: five a second. */
export const SPACING_MS = 200;

const REFRESH_IN_USE_MS = 3_000;
const REFRESH_MS = 10 * MINUTE_MS;
const REFRESH_UNUSED_MS = HOUR_MS;
const RECONCILE_MS = DAY_MS;
/** Pause after the first failed probe; later pauses double. A partner that is away is not asked at all while its gate is closed. */
const FIRST_RETRY_MS = 20_000;
const QUARANTINE_PROBE_MS = HOUR_MS;
/** Pauses between the probes of an unverified offer; after the last one it stays unverified. */
const VERIFICATION_PAUSES_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];

/**
 * Effect of a probe on a received share, and the time of the next probe. No single answer ends a share: it is
 * quarantined, stays listed and mounted, and is lost only after its server, while well, refused it three times
 * within at least a day. A lost share comes back when its server shows it again.
 */
export function afterProbe(
  share: WatchedShare,
  result: ProbeResult,
  circumstances: WatchCircumstances,
): WatchDecision {
  switch (share.state) {
    case 'pending':
      return afterVerification(share, result, circumstances);
    case 'accepted':
    case 'quarantined':
      return afterRefresh(share, result, circumstances);
    case 'gone':
      return afterSearch(share, result, circumstances);
  }
}

function afterVerification(
  share: WatchedShare,
  result: ProbeResult,
  circumstances: WatchCircumstances,
): WatchDecision {
  if (result === 'seen') return { ...share, verified: true, failedProbes: 0, nextProbeAtMs: null };
  const pauseMs = VERIFICATION_PAUSES_MS[share.failedProbes];
  const nextProbeAtMs = pauseMs === undefined ? null : soon(pauseMs, circumstances);
  return { ...share, failedProbes: share.failedProbes + 1, nextProbeAtMs };
}

function afterRefresh(
  share: WatchedShare,
  result: ProbeResult,
  circumstances: WatchCircumstances,
): WatchDecision {
  const { nowMs } = circumstances;
  const quarantined = share.state === 'quarantined' || result === 'refused';
  if (result === 'seen' && isDoubted(share, nowMs))
    return { ...share, unreachableSinceMs: null, nextProbeAtMs: soon(MINUTE_MS, circumstances) };
  if (result === 'seen') return reachable(nextRefresh(circumstances));
  const pauseMs = quarantined ? QUARANTINE_PROBE_MS : pauseOf(circumstances.use);
  if (result === 'refused')
    return { ...afterRefusal(share, nowMs), nextProbeAtMs: soon(pauseMs, circumstances) };
  const unreachableSinceMs = share.unreachableSinceMs ?? nowMs;
  const retryMs = quarantined ? pauseMs : Math.max(FIRST_RETRY_MS, nowMs - unreachableSinceMs);
  return { ...share, unreachableSinceMs, nextProbeAtMs: soon(Math.min(pauseMs, retryMs), circumstances) };
}

/** A share is due a little before its turn comes, because rounds do not begin at exact times. */
const DUE_BEFORE_TURN = 0.9;

/** Shares in use divide the requests that their partner gets, and are read in turn: the longest overdue first. */
function nextRefresh(circumstances: WatchCircumstances): number {
  const { nowMs, use } = circumstances;
  if (use.isInUse && !use.partnerReports)
    return nowMs + Math.max(REFRESH_IN_USE_MS, use.inUseThere * SPACING_MS * DUE_BEFORE_TURN);
  return soon(pauseOf(use), circumstances);
}

const pauseOf = ({ isInUse, recipientIsActive }: ShareUse): number =>
  isInUse || recipientIsActive ? REFRESH_MS : REFRESH_UNUSED_MS;

/** Whether the refusals come from somebody else's report that the share ended, rather than from its server. */
function isDoubted({ state, failedProbes, quarantinedAtMs }: WatchedShare, nowMs: number): boolean {
  const { sinceMs } = ONE_REFUSAL_LEFT;
  return state === 'accepted' && failedProbes > 0 && nowMs < (quarantinedAtMs ?? 0) + sinceMs + DOUBT_MS;
}

/** A refusal counts only after the pause; before that it only confirms the present state. */
function afterRefusal(share: WatchedShare, nowMs: number): WatchedShare {
  const quarantinedAtMs = share.quarantinedAtMs ?? nowMs;
  const counts = nowMs >= quarantinedAtMs + share.failedProbes * REFUSAL_SPACING_MS;
  const failedProbes = share.failedProbes + (counts ? 1 : 0);
  const isLost = failedProbes >= REFUSALS;
  return {
    ...share,
    state: isLost ? 'gone' : 'quarantined',
    quarantinedAtMs,
    failedProbes,
    goneAtMs: isLost ? nowMs : null,
  };
}

function afterSearch(
  share: WatchedShare,
  result: ProbeResult,
  circumstances: WatchCircumstances,
): WatchDecision {
  if (result === 'seen') return reachable(soon(REFRESH_MS, circumstances));
  const nextProbeAtMs = soon(RECONCILE_MS, circumstances);
  const isKept = nextProbeAtMs < (share.goneAtMs ?? 0) + KEPT_LOST_DAYS * DAY_MS;
  return { ...share, nextProbeAtMs: isKept ? nextProbeAtMs : null };
}

function reachable(nextProbeAtMs: number): WatchDecision {
  return {
    state: 'accepted',
    verified: true,
    failedProbes: 0,
    unreachableSinceMs: null,
    quarantinedAtMs: null,
    goneAtMs: null,
    nextProbeAtMs,
  };
}

/** Up to a fifth later than `pauseMs`. */
function soon(pauseMs: number, { nowMs, chance }: WatchCircumstances): number {
  return nowMs + Math.round(pauseMs * (1 + chance / 5));
}
