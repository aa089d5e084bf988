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

const REASONS: Readonly<Record<WriteRefusal, string>> = {
  changed: 'It was changed there meanwhile.',
  forbidden: 'The server there does not allow it.',
  'no-space': 'There is no space for it there.',
  'folder-gone': 'The folder for it is not there any more.',
  ended: 'The share has ended.',
  late: 'The server there could not be reached for too long.',
  'given-up': 'It was given up here.',
};

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
    subject: `"${name}" could not be stored in "${shareName}" at ${hostKey}`,
    message: `${REASONS[refusal]} It is kept among your own files: ${path}`,
  };
}
