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
/** Sessions of people whose servers have an access token: nothing else accepts them. */
const SESSION = { prefix: 'ws_', purpose: 'session for a share', lifetimeSeconds: 3600 } as const;

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
    const token = PREFIX + this.seal(tokenHmac, PURPOSE, LIFETIME_SECONDS);
    return { token, expiresInSeconds: LIFETIME_SECONDS };
  }

  /** The text of a session in the browser of a person at a partner. @param tokenHmac lookup key of the share's secret */
  giveSession(tokenHmac: Buffer): string {
    return SESSION.prefix + this.seal(tokenHmac, SESSION.purpose, SESSION.lifetimeSeconds);
  }

  /** @returns undefined for any text that `give` did not make with a known key, such as a secret */
  read(text: string): ReadAccessToken | undefined {
    return this.readAs(text, PREFIX, PURPOSE);
  }

  /** @returns undefined for any text that `giveSession` did not make, such as the token of a link */
  readSession(text: string): ReadAccessToken | undefined {
    return this.readAs(text, SESSION.prefix, SESSION.purpose);
  }

  private seal(tokenHmac: Buffer, purpose: string, lifetimeSeconds: number): string {
    const expiresAt = Math.floor(Date.now() / 1000) + lifetimeSeconds;
    return this.secrets.seal(`${expiresAt} ${tokenHmac.toString('base64')}`, purpose).toString('base64url');
  }

  private readAs(text: string, prefix: string, purpose: string): ReadAccessToken | undefined {
    const content = text.startsWith(prefix) ? this.open(text.slice(prefix.length), purpose) : undefined;
    if (content === undefined) return undefined;
    const [expiresAt, tokenHmac] = content.split(' ');
    return {
      tokenHmac: Buffer.from(tokenHmac!, 'base64'),
      isOver: Number(expiresAt) * 1000 <= Date.now(),
    };
  }

  private open(text: string, purpose: string): string | undefined {
    try {
      return this.secrets.open(Buffer.from(text, 'base64url'), purpose);
    } catch (error) {
      if (error instanceof SecretUnreadable) return undefined;
      throw error;
    }
  }
}
