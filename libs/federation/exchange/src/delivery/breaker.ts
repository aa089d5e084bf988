import { FAILURES } from '#federation/protocol';
import type { DeliveryOutcome } from './delivery-outcome';
import type { Randomness } from '../ports/randomness';

/** State of a partner's breaker. Times are milliseconds since the epoch. */
export interface Breaker {
  /** Up to twenty latest results, oldest first; kept only while one of them is a failure. */
  readonly recent: readonly { readonly atMs: number; readonly failed: boolean }[];
  /** No attempt before this time. After it, one attempt at a time until one succeeds. null: closed. */
  readonly openUntilMs: number | null;
  /** Times that it opened since the last success; each time it stays open twice as long. */
  readonly openings: number;
}

export const CLOSED: Breaker = { recent: [], openUntilMs: null, openings: 0 };

const WINDOW_MS = 60_000;
const FAILURES_IN_WINDOW = 5;
const SAMPLE = 20;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

export type BreakerState = 'closed' | 'open' | 'half-open';

export function breakerState(breaker: Breaker, nowMs: number): BreakerState {
  if (breaker.openUntilMs === null) return 'closed';
  return nowMs < breaker.openUntilMs ? 'open' : 'half-open';
}

/** Whether an attempt failed since the partner was last known to be well. */
export function isTroubled(breaker: Breaker): boolean {
  return breaker.openUntilMs !== null || breaker.recent.some((result) => result.failed);
}

/** The breaker after one attempt. */
export function afterOutcome(
  breaker: Breaker,
  outcome: DeliveryOutcome,
  nowMs: number,
  random: Randomness,
): Breaker {
  const effect = 'errorClass' in outcome ? FAILURES[outcome.errorClass].breaker : 'ignored';
  // A refusal is an answer, and says nothing about the partner's health.
  if (effect === 'ignored') return afterAnswer(breaker, nowMs);
  const recent = [...breaker.recent, { atMs: nowMs, failed: true }].slice(-SAMPLE);
  const state = breakerState(breaker, nowMs);
  // The result of a message that was already under way when the breaker opened is ignored.
  if (state === 'open') return { ...breaker, recent };
  if (effect === 'opens') return open(breaker, recent, LONGEST_PAUSE_MS, nowMs, random);
  if (state === 'half-open' || isTooMuch(recent, nowMs)) {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(breaker.openings, 10), LONGEST_PAUSE_MS);
    return open(breaker, recent, pauseMs, nowMs, random);
  }
  return { ...breaker, recent };
}

/** An answer closes an open breaker. Results are kept only while they can matter. */
function afterAnswer(breaker: Breaker, nowMs: number): Breaker {
  if (breaker.openUntilMs !== null || !isTroubled(breaker)) return CLOSED;
  const recent = [...breaker.recent, { atMs: nowMs, failed: false }].slice(-SAMPLE);
  return recent.some((result) => result.failed) ? { ...breaker, recent } : CLOSED;
}

function isTooMuch(recent: Breaker['recent'], nowMs: number): boolean {
  const failed = recent.filter((result) => result.failed);
  const lately = failed.filter((result) => result.atMs > nowMs - WINDOW_MS).length;
  return lately >= FAILURES_IN_WINDOW || (recent.length === SAMPLE && failed.length * 2 >= SAMPLE);
}

/** The pause is up to a tenth shorter than `pauseMs`, so that partners that failed together are not tried together. */
function open(
  breaker: Breaker,
  recent: Breaker['recent'],
  pauseMs: number,
  nowMs: number,
  random: Randomness,
): Breaker {
  const openUntilMs = nowMs + Math.round(pauseMs * (1 - random.next() / 10));
  return { recent, openUntilMs, openings: breaker.openings + 1 };
}
