import { Inject, Injectable } from '@nestjs/common';
import { PartnerTrustCalls } from '#federation/client';
import { stepHandshake, type HandshakePorts } from '#federation/exchange';
import { Database, HandshakeRepository, type HandshakeRow, type PeerRow } from '#persistence';
import { LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { CalledPartners } from '../partners/called-partners';

const AT_ONCE = 20;

/** Makes our calls of handshakes with trusted partners. */
@Injectable()
export class TrustedHandshakes implements HandshakePorts<PeerRow> {
  readonly handshakes: HandshakePorts['handshakes'];
  private readonly logger: Logger;

  constructor(
    private readonly rows: HandshakeRepository,
    readonly partners: CalledPartners,
    readonly calls: PartnerTrustCalls,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.handshakes = {
      move: (handshake, next, afterSeconds, reason) => rows.move(handshake, next, afterSeconds, reason),
      finish: async (handshake, secret) => {
        await database.transaction((transaction) => rows.finish(transaction, handshake, secret));
      },
    };
    this.logger = logger.child({ subsystem: 'trust' });
  }

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  /** Makes the due calls. */
  async round(): Promise<void> {
    await Promise.all((await this.rows.claim(AT_ONCE)).map((handshake) => this.step(handshake)));
  }

  private async step(handshake: HandshakeRow): Promise<void> {
    const { hostKey: partner, attempts } = handshake;
    const progress = await stepHandshake(this, handshake);
    if (progress.kind === 'agreed') this.logger.info({ partner }, 'a secret was agreed on');
    if (progress.kind === 'waiting')
      this.logger.info({ partner, attempts, reason: progress.reason }, 'a handshake waits');
  }
}
