import { SharingFailed } from './sharing-failed';

const MAX_CHARACTERS = 1000;

/**
 * A note to the recipients as it will be stored; null for none.
 * @param isCarried whether the kind of the share keeps one @throws SharingFailed note-too-long, note-not-carried
 */
export function parseNote(raw: string, isCarried: boolean): string | null {
  if ([...raw].length > MAX_CHARACTERS) throw new SharingFailed('note-too-long');
  if (raw === '') return null;
  if (!isCarried) throw new SharingFailed('note-not-carried');
  return raw;
}
