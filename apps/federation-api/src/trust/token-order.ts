import { createHash } from 'node:crypto';
import type { SecretText } from '#federation/protocol';

/**
 * Whether of two servers that ask each other it is the one with `own` that goes on asking. Tokens are compared by their
 * SHA-256, as newer servers do: an answer by the tokens themselves would lead whoever guesses to ours.
 */
export function isOursToAsk(own: SecretText, received: SecretText): boolean {
  return digestOf(own) > digestOf(received);
}

const digestOf = (token: SecretText): string => createHash('sha256').update(token.reveal()).digest('hex');
