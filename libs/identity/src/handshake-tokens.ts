import { createHash } from 'node:crypto';

/**
 * Whether, of two servers that ask each other, the one with `own` continues. Tokens are compared by their
 * SHA-256, as in newer servers: a comparison of the tokens themselves would help others to guess ours.
 */
export function isOursToAsk(own: string, received: string): boolean {
  return digestOf(own) > digestOf(received);
}

/** Above the beginnings of nearly all tokens of letters and digits. */
const HIGH = 'zzz';

/**
 * A token for the start of a handshake, so that a server that has a token of its own lets us ask. Servers with the older
 * comparison decline smaller tokens, and Nextcloud 34 even accepts them and never fetches the secret. ownCloud stores an empty
 * token after a successful handshake, and declines every request whose token has the smaller digest.
 *
 * @param random makes a token of the right length; called nine times on average
 */
export function tokenToAskWith(random: () => string): string {
  for (;;) {
    const token = HIGH + random().slice(HIGH.length);
    if (isOursToAsk(token, '')) return token;
  }
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
