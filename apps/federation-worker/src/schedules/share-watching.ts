import type { Schedule } from '#queue';
import type { ReceivedShareWatch } from '../reconciliation/received-share-watch';

/** An offer waits so long for its first probe; everything else is due when its row says so. */
const ROUND_EVERY_MS = 10_000;

/** Rounds over the received shares that are due. */
export function shareWatching(watch: ReceivedShareWatch): Schedule {
  return { name: 'watch-received-shares', everyMs: ROUND_EVERY_MS, run: () => watch.round() };
}
