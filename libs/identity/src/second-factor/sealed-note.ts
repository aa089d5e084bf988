import { SecretUnreadable, type SecretBox } from '#platform';

const MINUTES = 10;
const MAX_CHARACTERS = 4096;

/**
 * Seals data that a browser carries from one step to the next for ten minutes. The browser can neither read nor change it.
 * @param purpose it can be opened for this purpose only
 */
export function sealNote(secrets: SecretBox, purpose: string, note: object): string {
  const until = Date.now() + MINUTES * 60_000;
  return secrets.seal(JSON.stringify({ ...note, until }), purpose).toString('base64url');
}

/** The data; undefined if they have expired, or were sealed for another purpose. */
export function openNote<Note extends object>(
  secrets: SecretBox,
  purpose: string,
  sealed: string,
): Note | undefined {
  if (sealed.length > MAX_CHARACTERS) return undefined;
  try {
    const text = secrets.open(Buffer.from(sealed, 'base64url'), purpose);
    const note = JSON.parse(text) as Note & { until: number };
    return note.until > Date.now() ? note : undefined;
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined;
    throw error;
  }
}
