import { randomBytes } from 'node:crypto';
import type { SecretBox } from '#platform';

/** 32 letters and digits that are hard to confuse. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 3;
const LETTERS_OF_GROUP = 5;
const CODES = 10;
const SHAPE = new RegExp(`^[${LETTERS}]{${GROUPS * LETTERS_OF_GROUP}}$`);

/** New recovery codes of an account: 75 random bits each, such as `k7pqa-x3mzd-9fhwe`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const letters = Array.from(
    randomBytes(GROUPS * LETTERS_OF_GROUP),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('');
  return letters.match(new RegExp(`.{${LETTERS_OF_GROUP}}`, 'g'))!.join('-');
}

/**
 * Text for the stored keyed hash.
 * @param code as somebody typed it
 * @returns undefined for a text that cannot be a code
 */
export function lookupTextOfRecoveryCode(uid: string, code: string): string | undefined {
  const letters = code.toLowerCase().replace(/[\s-]/g, '');
  return SHAPE.test(letters) ? `recovery code\n${uid}\n${letters}` : undefined;
}

/** Keyed hashes of new codes, for storage. */
export const hashesOfRecoveryCodes = (
  secrets: Pick<SecretBox, 'lookup'>,
  uid: string,
  codes: readonly string[],
): Buffer[] => codes.map((code) => secrets.lookup(lookupTextOfRecoveryCode(uid, code)!));
