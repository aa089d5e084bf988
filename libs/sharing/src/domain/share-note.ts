import { SharingFailed } from './sharing-failed';

const MAX_CHARACTERS = 1000;

/**
 * A note to the recipients as it will be stored; null for none.
 * @throws SharingFailed note-too-long
 */
export function parseNote(raw: string): string | null {
  if ([...raw].length > MAX_CHARACTERS) throw new SharingFailed('note-too-long');
  return raw || null;
}
