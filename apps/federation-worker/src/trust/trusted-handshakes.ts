import { Inject, Injectable } from '@nestjs/common';
import { PartnerTrustCalls, PeerProfiles } from '#federation/client';
import { SecretText, type PeerProfile } from '#federation/protocol';
import { Database, HandshakeRepository, PeerRepository, type HandshakeRow, type PeerRow } from '#persistence';
import { LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { trustIn } from '#sharing';

const AT_ONCE = 20;
const DISCOVERY_BUDGET_MS = 10_000;
/** Seconds from one attempt to the next: doubling, from the first to the longest. */
const FIRST_PAUSE = 30;
const LONGEST_PAUSE = 6 * 3600;
/** Somewhat more than four days. */
const ATTEMPTS_AT_MOST = 25;

/** Does our side's calls of handshakes with trusted partners. */
@Injectable()
export class TrustedHandshakes {
  private readonly logger: Logger;

  constructor(
    private readonly handshakes: HandshakeRepository,
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
    private readonly calls: PartnerTrustCalls,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'trust' });
  }

  /** Makes the calls that are due. */
  async round(): Promise<void> {
    await Promise.all((await this.handshakes.claim(AT_ONCE)).map((handshake) => this.step(handshake)));
  }

  private async step(handshake: HandshakeRow): Promise<void> {
    const peer = await this.peers.findById(handshake.peerId);
    if (!peer || trustIn(await this.policy.current(), 'incoming', peer) !== 'trusted')
      return this.handshakes.move(handshake, 'failed', null, 'it is not trusted');
    const partner = await this.profileOf(peer);
    if (!partner) return this.later(handshake, 'its server gives no answer');
    return handshake.state === 'fetching' ? this.fetch(handshake, partner) : this.ask(handshake, partner);
  }

  private async ask(handshake: HandshakeRow, partner: PeerProfile): Promise<void> {
    const token = this.open(handshake.sealedOwnToken);
    const answer = await this.calls.askForFetch(partner, this.address.url, token);
    if (answer === 'later') return this.later(handshake, 'its server did not take our request');
    const state = answer === 'will-fetch' ? 'asked' : 'declined';
    const reason =
      state === 'asked'
        ? 'its server will fetch the secret'
        : 'its server wants to ask, or does not trust us';
    return this.handshakes.move(handshake, state, null, reason);
  }

  private async fetch(handshake: HandshakeRow, partner: PeerProfile): Promise<void> {
    const token = this.open(handshake.sealedPartnerToken);
    const answer = await this.calls.fetchSecret(partner, this.address.url, token);
    if (answer.kind === 'later') return this.later(handshake, 'its server did not give the secret');
    if (answer.kind === 'refused') return this.afterRefusal(handshake);
    const secretHmac = this.secrets.lookup(answer.secret.reveal());
    await this.database.transaction((transaction) =>
      this.handshakes.finish(transaction, handshake, secretHmac),
    );
    this.logger.info({ partner: handshake.hostKey }, 'a secret was agreed on');
  }

  /** Somebody else may have asked us in the partner's name: whatever went on before goes on. */
  private afterRefusal(handshake: HandshakeRow): Promise<void> {
    const reason = 'its server refused the secret';
    if (handshake.sealedOwnToken) return this.handshakes.move(handshake, 'asking', FIRST_PAUSE, reason);
    return this.handshakes.move(handshake, handshake.hasSecret ? 'done' : 'failed', null, reason);
  }

  private async later(handshake: HandshakeRow, reason: string): Promise<void> {
    const { attempts, state, hostKey } = handshake;
    this.logger.info({ partner: hostKey, attempts, reason }, 'a handshake waits');
    if (attempts >= ATTEMPTS_AT_MOST) return this.handshakes.move(handshake, 'failed', null, reason);
    const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
    return this.handshakes.move(handshake, state, pause, reason);
  }

  private async profileOf(peer: PeerRow): Promise<PeerProfile | undefined> {
    const found = await this.profiles.of(peer, { budgetMs: DISCOVERY_BUDGET_MS });
    return found.kind === 'partner' ? found.profile : undefined;
  }

  private open(sealed: Buffer | null): SecretText {
    if (!sealed) throw new Error('a handshake has no token for its step');
    return new SecretText(this.secrets.open(sealed));
  }
}
