import { isDotSegment } from '../account-rules';

const MAX_CHARACTERS = 64;
const FEWEST_CHARACTERS = 3;
const MOST_SUFFIX = 99;

/**
 * Makes a user id from a name of a source: accents and other forbidden characters are replaced.
 * @returns `''` if nothing is left
 */
export function userIdFrom(name: string): string {
  const plain = name
    .slice(0, 1024)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9 _.@\-+']+/g, '-')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .trim();
  if (/^[-. ]*$/.test(plain)) return '';
  return plain.length < FEWEST_CHARACTERS ? `user-${plain}` : plain;
}

/** Makes a group id from a name of a source: one line, without blanks at its ends; `''` if nothing is left. */
export function groupIdFrom(name: string): string {
  const plain = name
    .slice(0, 1024)
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim();
  const id = [...plain].slice(0, MAX_CHARACTERS).join('').slice(0, MAX_CHARACTERS).trim();
  return isDotSegment(id) ? '' : id;
}

/** The name itself, then with `-2`, `-3` and so on, never longer than an id may be. */
export function* candidates(name: string): Generator<string> {
  yield name;
  for (let number = 2; number <= MOST_SUFFIX; number++) {
    const suffix = `-${number}`;
    yield `${name.slice(0, MAX_CHARACTERS - suffix.length).trimEnd()}${suffix}`;
  }
}
