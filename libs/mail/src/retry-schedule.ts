const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds from one attempt to the next; about two days in all, as mail servers among themselves do it. */
const DELAYS: readonly number[] = [
  ...[MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  ...[8 * HOUR, 8 * HOUR, 12 * HOUR, 12 * HOUR],
];

/** How long to wait after so many attempts, in seconds; undefined when there were enough. */
export function delayAfter(attempts: number): number | undefined {
  return DELAYS[attempts - 1];
}
