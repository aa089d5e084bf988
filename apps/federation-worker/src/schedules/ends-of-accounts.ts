import type { AccountEnds } from '#identity';
import type { Schedule } from '#queue';

const EVERY_MS = 30_000;

/** Ends the accounts whose grace time is over, and goes on where another process was stopped. */
export function endsOfAccounts(ends: AccountEnds): Schedule {
  return { name: 'end-accounts', everyMs: EVERY_MS, run: () => ends.finishDue() };
}
