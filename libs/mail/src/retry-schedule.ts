const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between attempts; about two days in total, as between mail servers. */
const DELAYS: readonly number[] = [
  ...[MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  ...[8 * HOUR, 8 * HOUR, 12 * HOUR, 12 * HOUR],
];

/** Seconds to wait after this number of attempts; undefined if there were enough. */
export function delayAfter(attempts: number): number | undefined {
  return DELAYS[attempts - 1];
}
