import type { AccountEnds } from '#identity';
import type { Schedule } from '#queue';

const EVERY_MS = 30_000;

/** Deletes accounts whose grace period has ended, and continues work that another process did not finish. */
export function endsOfAccounts(ends: AccountEnds): Schedule {
  return { name: 'end-accounts', everyMs: EVERY_MS, run: () => ends.finishDue() };
}
