/** How long somebody waits for a partner while there is something to show or say without it, in milliseconds. */
export const PATIENCE_MS = 1_000;
/** The same where there is nothing. */
export const LONG_PATIENCE_MS = 5_000;
/** How long the partner has, however long somebody waits: then it counts as silent. */
export const PROBE_MS = 10_000;

/** Result of `work` within a time; it goes on afterwards, and a later failure is ignored. */
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
