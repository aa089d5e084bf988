import { phrase, type PhraseName } from './notification-phrases';
import type { NotificationText } from './owner-notifications';

/** Reason why a partner did not accept a file that was written into one of its folders. */
export type WriteRefusal =
  | 'changed'
  | 'forbidden'
  | 'no-space'
  | 'folder-gone'
  | 'ended'
  | 'late'
  | 'given-up';

const REASONS = {
  changed: 'writeChanged',
  forbidden: 'writeForbidden',
  'no-space': 'writeNoSpace',
  'folder-gone': 'writeFolderGone',
  ended: 'writeEnded',
  late: 'writeLate',
  'given-up': 'writeGivenUp',
} as const satisfies Readonly<Record<WriteRefusal, PhraseName>>;

/** Text for the writer of a file that a partner did not accept. */
export function keptInsteadText(
  {
    name,
    shareName,
    hostKey,
  }: { readonly name: string; readonly shareName: string; readonly hostKey: string },
  refusal: WriteRefusal,
  path: string,
): NotificationText {
  return {
    subject: phrase('writeKept', { name, share: shareName, server: hostKey }),
    message: phrase('writeKeptAt', { reason: phrase(REASONS[refusal], {}), path }),
  };
}
