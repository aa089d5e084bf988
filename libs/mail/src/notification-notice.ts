import type { DueNotification } from '#persistence';
import { oneLine } from './one-line';
import type { Mail, MailOrigin } from './share-notice';

/** A notification as a mail: plain text, so that no name in it can imitate another part. */
export function notificationNotice(due: DueNotification, origin: MailOrigin): Mail {
  const subject = oneLine(due.subject);
  const said = due.message === '' ? [] : [`> ${oneLine(due.message)}`];
  const text = [
    `Hello ${oneLine(due.name)},`,
    `${subject}.`,
    ...said,
    `Your shares: ${origin.publicUrl}/`,
  ].join('\n\n');
  return {
    id: `<notification-${due.id}@${new URL(origin.publicUrl).hostname}>`,
    from: { name: origin.productName, address: origin.from },
    replyTo: undefined,
    to: { name: oneLine(due.name), address: due.address },
    subject,
    text: `${text}\n`,
  };
}
