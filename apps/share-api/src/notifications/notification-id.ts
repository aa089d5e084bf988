/** Object of a notification's number: a pending share, or a stored notification. */
export interface NotificationReference {
  readonly kind: 'pending-share' | 'stored';
  readonly id: number;
}

const MAX_ID = 2 ** 52;

/** Clients identify notifications by one number: even numbers are pending shares, odd ones are stored notifications. */
export function notificationNumber({ kind, id }: NotificationReference): number {
  return kind === 'pending-share' ? id * 2 : id * 2 + 1;
}

/** @returns undefined for an invalid number */
export function parseNotificationNumber(raw: string): NotificationReference | undefined {
  const number = /^\d{1,16}$/.test(raw) ? Number(raw) : 0;
  if (number < 1 || number > MAX_ID) return undefined;
  return number % 2 === 0
    ? { kind: 'pending-share', id: number / 2 }
    : { kind: 'stored', id: (number - 1) / 2 };
}
