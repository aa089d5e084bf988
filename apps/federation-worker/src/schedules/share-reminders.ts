import type { ExpiringShareRepository, NotificationMailRepository } from '#persistence';
import type { Schedule } from '#queue';

const REMIND_EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;
const BATCH = 1000;

/** Reminds people of shares that end soon, and deletes mails that cannot be sent. */
export function shareReminders(
  expiring: ExpiringShareRepository,
  mails: NotificationMailRepository,
): readonly Schedule[] {
  const remind = async (): Promise<void> => {
    while ((await expiring.remind(BATCH)) === BATCH);
  };
  const forget = async (): Promise<void> => {
    while ((await mails.forget(BATCH)) === BATCH);
  };
  return [
    { name: 'remind-of-expiring-shares', everyMs: REMIND_EVERY_MS, run: remind },
    { name: 'forget-notification-mails', everyMs: HOUR_MS, run: forget },
  ];
}
