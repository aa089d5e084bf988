import type { RestoredOffers } from '#persistence';
import type { Schedule } from '#queue';

const EVERY_MS = 30_000;

/** Offers what came out of a trash bin to the partners that had it. */
export function restoredOffers(offers: RestoredOffers): Schedule {
  return { name: 'offer-restored-nodes', everyMs: EVERY_MS, run: () => offers.renew() };
}
