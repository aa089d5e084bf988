import type { ForeignLinkRepository } from '#persistence';
import type { ForeignLinks, Schedule } from '#queue';

const LOST_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
const BATCH = 1000;
const KEPT_DAYS = 1;

/** Adds jobs again for saved links that the queue lost, and deletes links without success. */
export function foreignLinks(
  rows: Pick<ForeignLinkRepository, 'forget'>,
  links: Pick<ForeignLinks, 'enterLost'>,
): readonly Schedule[] {
  const forget = async (): Promise<void> => {
    while ((await rows.forget(KEPT_DAYS, BATCH)) === BATCH);
  };
  return [
    { name: 'lost-foreign-links', everyMs: LOST_EVERY_MS, run: () => links.enterLost() },
    { name: 'forget-foreign-links', everyMs: HOUR_MS, run: forget },
  ];
}
