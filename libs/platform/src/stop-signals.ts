/**
 * Signals within this time after the first one belong to it: on Ctrl-C the terminal sends one to the whole process
 * group, and npm forwards its own.
 */
const SAME_REQUEST_MS = 1_000;

/** Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, and `hurry` at a later one. */
export function onStopSignals(stop: () => void, hurry: () => void): void {
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (firstAt === undefined) {
        firstAt = now;
        stop();
      } else if (now - firstAt > SAME_REQUEST_MS) {
        hurry();
      }
    });
  }
}
