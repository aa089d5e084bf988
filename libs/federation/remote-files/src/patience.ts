/** Time that a caller waits for a partner if there is something to show without it, in milliseconds. */
export const PATIENCE_MS = 1_000;
/** Time that a caller waits if there is nothing to show. */
export const LONG_PATIENCE_MS = 5_000;
/** Time after which a partner counts as silent, however long the caller waits. */
export const PROBE_MS = 10_000;

/** Result of `work` within a time. After that time `work` continues, and a later failure is ignored. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
