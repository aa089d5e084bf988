import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * Waits until `condition` returns a truthy value, and returns it: specs use it instead of sleeping.
 * @throws Error naming `what` if the value stays falsy for `limitMs`
 */
export async function eventually<T>(
  what: string,
  condition: () => Promise<T> | T,
  limitMs = 90_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await pause(POLL_MS);
  }
}
