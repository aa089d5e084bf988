import { Injectable } from '@nestjs/common';
import { SecretBox, SecretUnreadable } from '#platform';

/** A token that was made for somebody who showed a share's secret. */
export interface GivenAccessToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Rights of a token that has not ended. */
export interface ReadAccessToken {
  /** Lookup key of the share's secret. */
  readonly tokenHmac: Buffer;
  readonly isOver: boolean;
}

/** Tokens of shares have no such beginning: they are letters and digits. */
const PREFIX = 'at_';
const PURPOSE = 'access token';
const LIFETIME_SECONDS = 900;

/**
 * Access tokens that secrets of our federated shares are exchanged for. Nothing of them is stored: a token is the lookup key of
 * the secret and the time of its end, sealed. So any replica makes and reads them, none ends another one, and whatever ends
 * the share or its secret ends its tokens.
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

  /** @returns undefined for everything that was not made by `give` with a key that is known, such as secrets */
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
