import type { InboxRepository, OutboxRepository } from '#persistence';
import type { Schedule } from '#queue';

const HOUR_MS = 3_600_000;
const KEPT_DAYS = 30;
const BATCH = 1000;

/** Forgets what nobody asks for any more: answered messages of partners, and delivered messages to them. */
export function housekeeping(inbox: InboxRepository, outbox: OutboxRepository): readonly Schedule[] {
  return [
    { name: 'forget-inbox', everyMs: HOUR_MS, run: () => inBatches(() => inbox.forget(KEPT_DAYS, BATCH)) },
    {
      name: 'forget-deliveries',
      everyMs: HOUR_MS,
      run: () => inBatches(() => outbox.forgetFinished(KEPT_DAYS, BATCH)),
    },
  ];
}

async function inBatches(forget: () => Promise<number>): Promise<void> {
  while ((await forget()) === BATCH);
}
