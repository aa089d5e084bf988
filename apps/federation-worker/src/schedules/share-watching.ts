import type { Schedule } from '#queue';
import type { ReceivedShareWatch } from '../reconciliation/received-share-watch';

/** Shares in use are due every few seconds, ten of each partner per round. */
const ROUND_EVERY_MS = 2_000;

/** Probing rounds over the received shares that are due. */
export function shareWatching(watch: ReceivedShareWatch): Schedule {
  return { name: 'watch-received-shares', everyMs: ROUND_EVERY_MS, run: () => watch.round() };
}
