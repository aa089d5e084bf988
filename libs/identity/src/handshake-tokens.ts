import { createHash } from 'node:crypto';

/**
 * Whether of two servers that ask each other it is the one with `own` that goes on asking. Tokens are compared by their
 * SHA-256, as newer servers do: an answer by the tokens themselves would lead whoever guesses to ours.
 */
export function isOursToAsk(own: string, received: string): boolean {
  return digestOf(own) > digestOf(received);
}

/**
 * A token to begin a handshake with. ownCloud keeps an empty token once a handshake has succeeded, and declines every
 * request whose token has the smaller digest: only a token that stands behind the empty one can begin another handshake.
 *
 * @param random makes a token of the right length; called nine times on average
 */
export function tokenToAskWith(random: () => string): string {
  for (;;) {
    const token = random();
    if (isOursToAsk(token, '')) return token;
  }
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
