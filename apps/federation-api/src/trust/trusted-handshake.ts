import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Prove } from '#federation/exchange';
import { COMMON_SECRET_LENGTH, SecretText, type HandshakeCall } from '#federation/protocol';
import { isOursToAsk } from '#identity';
import { Database, HandshakeRepository, PeerRepository, type HandshakeRow, type PeerRow } from '#persistence';
import { actAs, randomToken, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { trustIn } from '#sharing';

/** Time after which a partner that accepted our token will no longer fetch the secret. */
const ASKED_FOR_MS = 10 * 60_000;

/** Agrees on a secret with trusted partners, as ownCloud and Nextcloud do: the side that asks makes the secret. */
@Injectable()
export class TrustedHandshake {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly handshakes: HandshakeRepository,
    private readonly secrets: SecretBox,
    private readonly database: Database,
  ) {}

  /**
   * A partner asks us to fetch a secret from it. Its token proves nothing to us; the partner itself proves its identity when we fetch
   * the secret at its own address.
   * @returns whether we will
   * @throws FederationRefused errors of `prove`
   */
  async takeRequest({ hostKey, token }: HandshakeCall, prove: Prove): Promise<boolean> {
    const partner = await this.trusted(hostKey);
    if (!partner) return false;
    await prove(hostKey);
    return this.database.transaction(async (transaction) => {
      const ours = await this.handshakes.lock(transaction, partner.id);
      if (ours && this.isOurTurn(ours, token)) {
        await this.handshakes.askNow(transaction, partner.id);
        return false;
      }
      await this.handshakes.fetch(transaction, partner.id, this.secrets.seal(token.reveal()));
      return true;
    });
  }

  /**
   * A partner that declined our request sends its own: servers with the older and the newer comparison would
   * otherwise decline each other for ever. A partner that accepted ours is about to fetch the secret.
   */
  private isOurTurn({ state, sealedOwnToken, changedAt }: HandshakeRow, received: SecretText): boolean {
    if (state === 'asked') return Date.now() - changedAt.getTime() < ASKED_FOR_MS;
    if (state !== 'asking' || !sealedOwnToken) return false;
    return isOursToAsk(this.secrets.open(sealedOwnToken), received.reveal());
  }

  /**
   * A partner fetches the secret with the token that we gave it. The secret is made now and sent once.
   * @returns undefined for any other caller
   */
  async giveSecret({ hostKey, token }: HandshakeCall): Promise<SecretText | undefined> {
    const partner = await this.trusted(hostKey);
    if (!partner) return undefined;
    return this.database.transaction(async (transaction) => {
      const ours = await this.handshakes.lock(transaction, partner.id);
      if (!ours?.sealedOwnToken || !isSame(this.secrets.open(ours.sealedOwnToken), token.reveal()))
        return undefined;
      const secret = randomToken(COMMON_SECRET_LENGTH);
      await this.handshakes.finish(transaction, ours, {
        secretHmac: this.secrets.lookup(secret),
        sealedSecret: this.secrets.seal(secret),
      });
      return new SecretText(secret);
    });
  }

  private async trusted(hostKey: string): Promise<PeerRow | undefined> {
    actAs({ kind: 'partner', hostKey });
    const peer = await this.peers.find(hostKey);
    return peer && trustIn(await this.policy.current(), 'incoming', peer) === 'trusted' ? peer : undefined;
  }
}

/** Compares in constant time. */
function isSame(own: string, received: string): boolean {
  const [a, b] = [own, received].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
