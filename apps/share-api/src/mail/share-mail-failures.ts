import { OcsFailure } from '#ocs/http';
import { ShareMailRefused, type ShareMailFailure } from './share-mail-refused';

/** Source: ocs-facts 14. */
const ANSWERS: Readonly<Record<Exclude<ShareMailFailure, 'undeliverable'>, readonly [number, string]>> = {
  'share-mail-off': [403, 'Internal mail notification for shared files is not allowed'],
  'link-mail-off': [403, 'Public link mail notification is not allowed'],
  'link-invalid': [400, 'Invalid shared link'],
  'recipients-missing': [400, 'Please name at least one recipient'],
  'recipients-too-many': [400, 'Too many recipients in one call'],
  'note-too-long': [400, 'The personal note is too long'],
};

/** Ends with a blank, as in deployed servers. */
export const undeliverableTo = (recipients: readonly string[]): string =>
  `Couldn't send mail to following recipient(s): ${recipients.join(', ')} `;

export function shareMailFailure(error: unknown): OcsFailure | undefined {
  if (!(error instanceof ShareMailRefused)) return undefined;
  if (error.failure === 'undeliverable') return new OcsFailure(400, undeliverableTo(error.recipients));
  const [code, message] = ANSWERS[error.failure];
  return new OcsFailure(code, message);
}
