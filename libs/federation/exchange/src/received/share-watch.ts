import type { ReceivedShareState } from '#sharing';

/**
 * Result of probing the root of a received share. - `seen`: its server showed it - `refused`: its server, which is well
 * otherwise, says that there is no such share (401, 403, 404) - `silent`: anything else: no answer, one that cannot be
 * understood, a refusal by a server that is not well
 */
export type ProbeResult = 'seen' | 'refused' | 'silent';

/** States in which a share's server is probed; `gone` only where probes, not its owner, made it so. */
export type WatchedState = Exclude<ReceivedShareState, 'declined'>;

/** A received share as far as probes change it. Times are UNIX milliseconds. */
export interface WatchedShare {
  readonly state: WatchedState;
  /** Whether its server has shown it, before it was accepted. */
  readonly verified: boolean;
  /** Refusals that count; before the share was verified: probes that failed. */
  readonly failedProbes: number;
  readonly unreachableSinceMs: number | null;
  readonly quarantinedAtMs: number | null;
  readonly goneAtMs: number | null;
}

/** How much a mounted share is used, and what else decides how often its server is asked. */
export interface ShareUse {
  /** Whether the recipient was here lately. */
  readonly recipientIsActive: boolean;
  /** Whether their clients read it within the last minutes. */
  readonly isInUse: boolean;
  /** Shares of the same partner that are in use. */
  readonly inUseThere: number;
  /** Whether the partner says itself when content changes. */
  readonly partnerReports: boolean;
}

/** Circumstances that decide about the next probe, beside the share itself. */
export interface WatchCircumstances {
  readonly nowMs: number;
  readonly use: ShareUse;
  /** From 0 (included) to 1 (excluded): shares that were probed together are not checked together again. */
  readonly chance: number;
}

export interface WatchDecision extends WatchedShare {
  /** null: never, unless something else happens to the share. */
  readonly nextProbeAtMs: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** So long a lost share is kept, and taken back when its server shows it again. */
export const KEPT_LOST_DAYS = 30;
/** A share is given up after so many refusals that count. */
const REFUSALS = 3;
/** The second counts so long after the first, the third so long after that: a day lies between the first and the last. */
const REFUSAL_SPACING_MS = DAY_MS / (REFUSALS - 1);

/** A share of which somebody else said that it ended is given up after the next refusal. */
export const ONE_REFUSAL_LEFT = { failedProbes: REFUSALS - 1, sinceMs: DAY_MS };
/** That is so for this long while its server shows it, which may hear of the end later than others. */
const DOUBT_MS = 10 * MINUTE_MS;

/** Use counts for so long after it. */
export const IN_USE_FOR_MS = 5 * MINUTE_MS;
/** Use is noted so often at most. */
export const USE_NOTED_MS = MINUTE_MS;
/** Requests to one partner for its shares are so far apart on average: five a second. */
export const SPACING_MS = 200;

const REFRESH_IN_USE_MS = 3_000;
const REFRESH_MS = 10 * MINUTE_MS;
const REFRESH_UNUSED_MS = HOUR_MS;
const RECONCILE_MS = DAY_MS;
/** After the first failed probe; the pauses double from then on. A partner that is away is not asked at all while its gate is shut. */
const FIRST_RETRY_MS = 20_000;
const QUARANTINE_PROBE_MS = HOUR_MS;
/** Pauses between the probes at an offer that was not verified; after the last one it stays so. */
const VERIFICATION_PAUSES_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];

/**
 * Effect of a probe on a received share, and the time of the next one. No single answer ends a share: it is
 * quarantined, stays listed and mounted, and is lost only when its server, being well, has refused it three times
 * within no less than a day. A lost one comes back when its server shows it again.
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

/** Shares in use share the requests that their partner gets, and are read in turn. */
function nextRefresh(circumstances: WatchCircumstances): number {
  const { nowMs, use } = circumstances;
  if (use.isInUse && !use.partnerReports)
    return nowMs + Math.max(REFRESH_IN_USE_MS, use.inUseThere * SPACING_MS);
  return soon(pauseOf(use), circumstances);
}

const pauseOf = ({ isInUse, recipientIsActive }: ShareUse): number =>
  isInUse || recipientIsActive ? REFRESH_MS : REFRESH_UNUSED_MS;

/** Refusals of a share that its server did not refuse: somebody else said a moment ago that it ended. */
function isDoubted({ state, failedProbes, quarantinedAtMs }: WatchedShare, nowMs: number): boolean {
  const { sinceMs } = ONE_REFUSAL_LEFT;
  return state === 'accepted' && failedProbes > 0 && nowMs < (quarantinedAtMs ?? 0) + sinceMs + DOUBT_MS;
}

/** A refusal counts once its time has come; until then it only confirms what is known. */
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

/** Up to a fifth later than after `pauseMs`. */
function soon(pauseMs: number, { nowMs, chance }: WatchCircumstances): number {
  return nowMs + Math.round(pauseMs * (1 + chance / 5));
}
