import type { Randomness } from '../ports/randomness';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Upper bounds of the pauses after the first, second, ... failed attempt; the last one repeats. */
export const LADDER_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
];

/** Minimum pause before an offer that may have arrived is repeated, for a partner that keeps every copy. */
export const PAUSE_AFTER_DOUBT_MS = 2 * MINUTE;

const MIN_PAUSE_MS = SECOND;
/** Longest pause that a partner can ask for. */
export const MAX_RETRY_AFTER_MS = DAY;

/**
 * Pause before the next attempt, in milliseconds: full jitter over the ladder, and never
 * less than the partner asked for (at most a day).
 *
 * @param attempts attempts so far, including the failed one
 */
export function pauseAfter(attempts: number, retryAfterMs: number | undefined, random: Randomness): number {
  const bound = LADDER_MS[Math.min(Math.max(attempts, 1), LADDER_MS.length) - 1]!;
  const jittered = Math.max(MIN_PAUSE_MS, Math.round(random.next() * bound));
  return Math.max(jittered, Math.min(Math.max(retryAfterMs ?? 0, 0), MAX_RETRY_AFTER_MS));
}
