import { randomBytes } from 'node:crypto';

/** 32 letters and digits that are hard to confuse. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 6;
const LETTERS_OF_GROUP = 5;
const GROUP = `[${LETTERS}]{${LETTERS_OF_GROUP}}`;
const SHAPE = new RegExp(`^${GROUP}(?:-${GROUP}){${GROUPS - 1}}$`);
const CHARACTERS = GROUPS * (LETTERS_OF_GROUP + 1) - 1;

/** A new app password: 150 random bits, in groups for typing, such as `k7pqa-x3mzd-...`. */
export function newAppPassword(): string {
  const letters = Array.from(
    randomBytes(GROUPS * LETTERS_OF_GROUP),
    (byte) => LETTERS[byte % LETTERS.length],
  );
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    letters.slice(at * LETTERS_OF_GROUP, (at + 1) * LETTERS_OF_GROUP).join(''),
  );
  return groups.join('-');
}

/** Whether a password has the form of an app password; a main password can have it, too. */
export const isLikeAppPassword = (password: string): boolean =>
  password.length === CHARACTERS && SHAPE.test(password);

/** Text for the stored keyed hash. */
export const lookupTextOf = (secret: string): string => `app password\n${secret}`;
