import { Injectable } from '@nestjs/common';
import { SecretBox, SecretUnreadable } from '#platform';

/** A token for a caller who proved that they know a share's secret. */
export interface GivenAccessToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Content of a token that has not expired. */
export interface ReadAccessToken {
  /** Lookup key of the share's secret. */
  readonly tokenHmac: Buffer;
  readonly isOver: boolean;
}

/** Secrets of shares have no such prefix: they consist of letters and digits. */
const PREFIX = 'at_';
const PURPOSE = 'access token';
const LIFETIME_SECONDS = 900;

/**
 * Access tokens in exchange for secrets of our federated shares. Nothing is stored: a token contains the lookup key of
 * the secret and its expiry, sealed. So any replica makes and reads tokens, no token ends another one, and the end of
 * a share or its secret ends its tokens.
 */
@Injectable()
export class ShareAccessTokens {
  constructor(private readonly secrets: SecretBox) {}

  /** @param tokenHmac lookup key of the share's secret */
  give(tokenHmac: Buffer): GivenAccessToken {
    const expiresAt = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS;
    const sealed = this.secrets.seal(`${expiresAt} ${tokenHmac.toString('base64')}`, PURPOSE);
    return { token: PREFIX + sealed.toString('base64url'), expiresInSeconds: LIFETIME_SECONDS };
  }

  /** @returns undefined for any text that `give` did not make with a known key, such as a secret */
  read(text: string): ReadAccessToken | undefined {
    const content = text.startsWith(PREFIX) ? this.open(text.slice(PREFIX.length)) : undefined;
    if (content === undefined) return undefined;
    const [expiresAt, tokenHmac] = content.split(' ');
    return {
      tokenHmac: Buffer.from(tokenHmac!, 'base64'),
      isOver: Number(expiresAt) * 1000 <= Date.now(),
    };
  }

  private open(text: string): string | undefined {
    try {
      return this.secrets.open(Buffer.from(text, 'base64url'), PURPOSE);
    } catch (error) {
      if (error instanceof SecretUnreadable) return undefined;
      throw error;
    }
  }
}
