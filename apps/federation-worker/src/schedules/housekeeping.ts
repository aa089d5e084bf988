import type { InboxRepository, OutboxRepository, ShareWatchRepository } from '#persistence';
import type { Schedule } from '#queue';
import { KEPT_LOST_DAYS } from '#sharing';

const HOUR_MS = 3_600_000;
const KEPT_DAYS = 30;
const BATCH = 1000;

/**
 * Forgets what nobody asks for any more: answered messages of partners, delivered messages to them, and received shares
 * that ended.
 */
export function housekeeping(
  inbox: InboxRepository,
  outbox: OutboxRepository,
  watch: ShareWatchRepository,
): readonly Schedule[] {
  const hourly = (name: string, forget: () => Promise<number>): Schedule => ({
    name,
    everyMs: HOUR_MS,
    run: () => inBatches(forget),
  });
  return [
    hourly('forget-inbox', () => inbox.forget(KEPT_DAYS, BATCH)),
    hourly('forget-deliveries', () => outbox.forgetFinished(KEPT_DAYS, BATCH)),
    hourly('forget-ended-shares', () => watch.forgetEnded(KEPT_LOST_DAYS, BATCH)),
  ];
}

async function inBatches(forget: () => Promise<number>): Promise<void> {
  while ((await forget()) === BATCH);
}
