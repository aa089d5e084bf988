import { breakerState, CLOSED, type Breaker } from './breaker';
import { fullBucket, nextTokenAt, takeTokens, type Rate, type TokenBucket } from './token-bucket';

/** Limits of the traffic to one partner. */
export interface Limits extends Rate {
  /** Maximum number of messages under way. */
  readonly concurrency: number;
}

export const DEFAULT_LIMITS: Limits = { concurrency: 2, perSecond: 5, burst: 10 };

/** A partner's breaker and bucket, as they are stored with it. */
export interface Gate {
  readonly breaker: Breaker;
  readonly bucket: TokenBucket | null;
}

export const OPEN_GATE: Gate = { breaker: CLOSED, bucket: null };

export interface GateDecision {
  /** Number of messages that may go to the queue now. */
  readonly admitted: number;
  readonly gate: Gate;
  /** No message is admitted before this time; null when only the end of another message can make room. */
  readonly parkedUntilMs: number | null;
}

/**
 * Decides how many messages to one partner may be sent now.
 *
 * @param wanted messages that are due
 * @param underWay messages to the partner in the queue or being sent
 */
export function admit(
  gate: Gate,
  limits: Limits,
  wanted: number,
  underWay: number,
  nowMs: number,
): GateDecision {
  const state = breakerState(gate.breaker, nowMs);
  if (state === 'open') return { admitted: 0, gate, parkedUntilMs: gate.breaker.openUntilMs };
  const room = (state === 'half-open' ? 1 : limits.concurrency) - underWay;
  if (room <= 0 || wanted <= 0) return { admitted: 0, gate, parkedUntilMs: null };
  const before = gate.bucket ?? fullBucket(limits, nowMs);
  const { taken, bucket } = takeTokens(before, limits, Math.min(room, wanted), nowMs);
  return {
    admitted: taken,
    gate: { ...gate, bucket },
    parkedUntilMs: taken < Math.min(room, wanted) ? nextTokenAt(bucket, limits) : null,
  };
}
