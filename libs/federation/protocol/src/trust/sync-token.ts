/** Tokens have this form in every server of this field, so that clients may take them apart. */
const PREFIX = 'http://sabre.io/ns/sync/';

/** The token of a revision of our address book. */
export const syncTokenOf = (revision: number): string => `${PREFIX}${revision}`;

/** @returns undefined for a text that is none of our tokens */
export function readSyncToken(text: string): number | undefined {
  const [, digits] = /^(\d{1,15})$/.exec(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}
