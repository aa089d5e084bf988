import {
  afterGrant,
  isLeftToUs,
  offerInstead,
  readContent,
  readGrantedReply,
  recipientToNotify,
  type DeliveryOutcome,
  type GrantedReply,
  type OutgoingMessage,
  type ResharePayload,
  type Settlement,
} from '#federation/exchange';
import type { Database, Queryable } from '../../database';
import { OutboxRepository } from '../deliveries/outbox.repository';
import * as sql from './reshare-statements';

/** An attempt to deliver a message, with the new state of the message. */
interface SettledAttempt {
  readonly message: OutgoingMessage;
  readonly outcome: DeliveryOutcome;
  readonly settlement: Settlement;
}

/** Applies the answers of servers that were asked to make a share for us. */
export class ReshareSettlement {
  private readonly outbox: OutboxRepository;

  constructor(database: Database) {
    this.outbox = new OutboxRepository(database);
  }

  /** Runs in the transaction that records the attempts; shares and messages are locked. */
  async follow(transaction: Queryable, attempts: readonly SettledAttempt[]): Promise<void> {
    for (const { message, outcome, settlement } of attempts) {
      const content = readContent(message.kind, message.payload);
      if (content.kind !== 'reshare-request') continue;
      const { payload } = content;
      if (outcome.kind === 'delivered')
        await this.grant(transaction, message, payload, readGrantedReply(outcome.reply));
      else if (isLeftToUs(settlement)) await this.giveInstead(transaction, message, payload);
    }
  }

  private async grant(
    transaction: Queryable,
    message: OutgoingMessage,
    asked: ResharePayload,
    granted: GrantedReply,
  ): Promise<void> {
    const request = { message, asked, granted };
    const [share] = await transaction.rows(sql.GRANT, {
      id: message.subject.id,
      providerId: granted.providerId,
      sealedSecret: Buffer.from(granted.sealedSecret, 'base64'),
      secretHmac: Buffer.from(granted.secretHmac, 'base64'),
      recipientPeerId: recipientToNotify(request),
    });
    for (const following of afterGrant(request, share)) await this.outbox.write(transaction, following);
  }

  private async giveInstead(
    transaction: Queryable,
    { messageId, subject }: OutgoingMessage,
    asked: ResharePayload,
  ): Promise<void> {
    const [share] = await transaction.rows(sql.GIVE_INSTEAD, {
      id: subject.id,
      peerId: asked.instead.peerId,
    });
    if (!share) return;
    const offerId = await this.outbox.write(transaction, offerInstead(subject, asked, share));
    await transaction.rows(sql.POINT_TO_OFFER, { messageId, offerId: offerId ?? null });
  }
}
