import type { DueNotice } from '#persistence';
import { oneLine } from './one-line';

/** A mail, ready for a transport. */
export interface Mail {
  readonly id: string;
  readonly from: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly to: Mailbox;
  readonly subject: string;
  readonly text: string;
}

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export interface MailOrigin {
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** Sender address of mails. */
  readonly from: string;
  /** Name of the product, shown beside the sender's name. */
  readonly productName: string;
}

/**
 * The mail about a share: a public link, otherwise the notice that the share is among the recipient's files. Names
 * of files and people come from others, so line breaks in them are replaced before they reach a header. The mail is
 * plain text, so that no part
 * can imitate another.
 */
export function shareNotice(notice: DueNotice, origin: MailOrigin): Mail {
  const sender = oneLine(notice.senderName);
  const file = oneLine(notice.nodeName);
  return {
    id: `<share-notice-${notice.id}@${new URL(origin.publicUrl).hostname}>`,
    from: { name: `${sender} via ${origin.productName}`, address: origin.from },
    replyTo: notice.senderAddress === null ? undefined : { name: sender, address: notice.senderAddress },
    to: { name: oneLine(notice.recipientName ?? ''), address: notice.address },
    subject: `${sender} shared »${file}« with you`,
    text: textOf(notice, sender, file, origin),
  };
}

function textOf(notice: DueNotice, sender: string, file: string, origin: MailOrigin): string {
  const greeting = notice.recipientName === null ? 'Hello,' : `Hello ${oneLine(notice.recipientName)},`;
  const where =
    notice.shareToken === null
      ? `You find it among your files: ${origin.publicUrl}/`
      : `View it: ${origin.publicUrl}/index.php/s/${notice.shareToken}`;
  const note = notice.note === null ? [] : [`${sender} writes:`, quoted(notice.note)];
  const expiry = notice.expiresOn === null ? [] : [`The share ends with ${notice.expiresOn}.`];
  return [greeting, `${sender} shared »${file}« with you.`, where, ...note, ...expiry].join('\n\n') + '\n';
}

const quoted = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${oneLine(line)}`)
    .join('\n');
