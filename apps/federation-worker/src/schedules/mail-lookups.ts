import type { MailLookupRepository } from '#persistence';
import type { MailLookups, Schedule } from '#queue';

const LOST_EVERY_MS = 60_000;
const FORGET_EVERY_MS = 300_000;
const BATCH = 1000;

/** Adds jobs again for lookups that the queue lost, and deletes lookups that no longer count. */
export function mailLookups(
  rows: Pick<MailLookupRepository, 'forget'>,
  lookups: Pick<MailLookups, 'enterLost'>,
): readonly Schedule[] {
  const forget = async (): Promise<void> => {
    while ((await rows.forget(BATCH)) === BATCH);
  };
  return [
    { name: 'lost-mail-lookups', everyMs: LOST_EVERY_MS, run: () => lookups.enterLost() },
    { name: 'forget-mail-lookups', everyMs: FORGET_EVERY_MS, run: forget },
  ];
}
