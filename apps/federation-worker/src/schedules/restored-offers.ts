import type { RestoredOffers } from '#persistence';
import type { Schedule } from '#queue';

const EVERY_MS = 30_000;

/** Offers restored nodes again to the partners that had shares of them. */
export function restoredOffers(offers: RestoredOffers): Schedule {
  return { name: 'offer-restored-nodes', everyMs: EVERY_MS, run: () => offers.renew() };
}
