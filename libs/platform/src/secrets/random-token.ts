import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A token for a link or a partner: safe in addresses, in Basic credentials and in columns of all partners.
 *
 * @param length 15 (89 bits) to 32 characters of `[A-Za-z0-9]`, each equally likely
 * @throws RangeError for any other length: shorter tokens can be guessed, longer ones do not fit elsewhere
 */
export function randomToken(length = 22): string {
  if (!(Number.isInteger(length) && length >= 15 && length <= 32)) {
    throw new RangeError(`a token has 15 to 32 characters, not ${length}`);
  }
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
