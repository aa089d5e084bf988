import { setTimeout as pause } from 'node:timers/promises';
import { exchangeForm, readExchange, SecretText } from '#federation/protocol';
import type { AccessTokenRepository, AccessTokenRow } from '#persistence';
import type { SecretBox } from '#platform';
import { RemoteFailure } from '#federation/remote-files';
import type { SignedCalls } from '../messages/signed-calls';
import { failureOfError, notUnderstood } from './remote-failures';
import type { ExchangedShare } from './shared-content';

/** A token, as the partner gave it. */
export interface AccessToken {
  readonly token: SecretText;
  /** The stored form, which identifies the token without revealing it. */
  readonly sealed: Buffer;
}

/** Longer than one exchange can take. */
const LEASE_MS = 15_000;
const EXCHANGE_MS = 10_000;
/** A token with less time left is exchanged again. */
const MARGIN_MS = 30_000;
const POLL_MS = 100;

/**
 * Access tokens for shared secrets, stored sealed with their shares. Some partners make a token worthless when they
 * give the next one. So one replica makes the exchange, and the others wait for the token that it stores.
 */
export class AccessTokens {
  /** By received share. */
  private readonly underWay = new Map<number, Promise<AccessToken>>();

  constructor(
    private readonly store: AccessTokenRepository,
    private readonly calls: SignedCalls,
    private readonly secrets: SecretBox,
    /** Our own host, as partners know it. */
    private readonly clientId: () => string,
  ) {}

  /** Whether the share's secret was ever exchanged: then the secret itself may open nothing any more. */
  async isUsedBy(receivedShareId: number): Promise<boolean> {
    return (await this.store.find(receivedShareId)) !== undefined;
  }

  /**
   * A token that stays valid for a while.
   * @param worthless the stored form of a token that the partner refused
   * @throws RemoteFailure
   */
  of(content: ExchangedShare, worthless: Buffer | null = null): Promise<AccessToken> {
    const { receivedShareId } = content.share;
    const underWay = this.underWay.get(receivedShareId);
    if (underWay && worthless === null) return underWay;
    const token = this.find(content, worthless).finally(() => {
      if (this.underWay.get(receivedShareId) === token) this.underWay.delete(receivedShareId);
    });
    this.underWay.set(receivedShareId, token);
    return token;
  }

  /** A new token in place of the stored one: its server confirms that the secret is valid. @throws RemoteFailure */
  async renew(content: ExchangedShare): Promise<AccessToken> {
    const kept = await this.store.find(content.share.receivedShareId);
    return this.of(content, kept?.tokenEnc ?? null);
  }

  /** A token for another secret than that of the share's content. It is not stored. @throws RemoteFailure */
  async once(content: ExchangedShare): Promise<SecretText> {
    return (await this.ask(content)).token;
  }

  private async find(content: ExchangedShare, worthless: Buffer | null): Promise<AccessToken> {
    const { receivedShareId, hostKey } = content.share;
    const deadline = Date.now() + LEASE_MS;
    while (Date.now() < deadline) {
      const kept = await this.store.find(receivedShareId);
      if (kept && isGood(kept, worthless)) return this.open(kept.tokenEnc);
      const claim = { leaseMs: LEASE_MS, marginMs: MARGIN_MS, worthless };
      if (await this.store.claim(receivedShareId, claim)) return this.exchange(content);
      await pause(POLL_MS);
    }
    throw new RemoteFailure('unreachable', hostKey, 'no access token in time', undefined, 'none');
  }

  private open(sealed: Buffer): AccessToken {
    return { token: new SecretText(this.secrets.open(sealed)), sealed };
  }

  /** The caller has the claim. */
  private async exchange(content: ExchangedShare): Promise<AccessToken> {
    const { receivedShareId } = content.share;
    let isStored = false;
    try {
      const { token, validMs } = await this.ask(content);
      const sealed = this.secrets.seal(token.reveal());
      await this.store.save(receivedShareId, sealed, validMs);
      isStored = true;
      return { token, sealed };
    } finally {
      if (!isStored) await this.store.giveUp(receivedShareId);
    }
  }

  private async ask({
    share,
    place,
    partner,
    secret,
  }: ExchangedShare): Promise<{ token: SecretText; validMs: number }> {
    const { hostKey } = share;
    if (place.tokenEndPoint === null) throw notUnderstood(hostKey, 'it names no place to exchange secrets');
    const answer = await this.calls
      .exchange(
        {
          method: 'POST',
          url: place.tokenEndPoint,
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
          body: exchangeForm(this.clientId(), secret),
        },
        partner,
        EXCHANGE_MS,
      )
      .catch((error: unknown) => {
        throw failureOfError(hostKey, error);
      });
    const outcome = readExchange(answer.status, answer.incomplete === null ? answer.text : '');
    const detail = `exchange of the secret: HTTP ${answer.status}`;
    switch (outcome.kind) {
      case 'granted':
        return outcome;
      case 'denied':
        throw new RemoteFailure('denied', hostKey, detail);
      case 'trouble':
        throw new RemoteFailure('unreachable', hostKey, detail, undefined, 'none');
      case 'not-understood':
        throw notUnderstood(hostKey, detail);
    }
  }
}

function isGood({ tokenEnc, expiresAt }: AccessTokenRow, worthless: Buffer | null): boolean {
  return expiresAt.getTime() > Date.now() + MARGIN_MS && !(worthless && tokenEnc.equals(worthless));
}
