import {
  isLeftToUs,
  readContent,
  readGrantedReply,
  type DeliveryOutcome,
  type GrantedReply,
  type NoticePayload,
  type OfferPayload,
  type OutgoingMessage,
  type PermissionsPayload,
  type ResharePayload,
  type Settlement,
} from '#federation/delivery';
import { clampToKind } from '#sharing';
import type { Database, Queryable } from '../../database';
import { OutboxRepository } from '../deliveries/outbox.repository';
import * as sql from './reshare-statements';

/** An attempt at a message, with what became of the message. */
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

  /** In the transaction that records the attempts; shares and messages are locked. */
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
    const { id } = message.subject;
    const sealedSecret = Buffer.from(granted.sealedSecret, 'base64');
    const secretHmac = Buffer.from(granted.secretHmac, 'base64');
    const recipientPeerId = granted.recipientIsOurs ? asked.instead.peerId : null;
    const [share] = await transaction.rows(sql.GRANT, {
      id,
      providerId: granted.providerId,
      sealedSecret,
      secretHmac,
      recipientPeerId,
    });
    const about = { subject: message.subject, peerId: message.peerId, sealedSecret };
    const notice: NoticePayload = { providerId: granted.providerId, grantee: asked.shareWith };
    if (!share) {
      // It ended while the answer was under way.
      const revision = message.revision + 1;
      await this.outbox.write(transaction, { ...about, kind: 'reshare-undo', revision, payload: notice });
      if (recipientPeerId !== null)
        await this.outbox.write(transaction, {
          ...{ kind: 'share-unshare', subject: { type: 'reshare', id }, peerId: recipientPeerId },
          ...{ revision, payload: notice, sealedSecret },
        });
      return;
    }
    const given = granted.asAsked
      ? asked.permissions
      : clampToKind(asked.receivedPermissions, asked.instead.offer.nodeKind);
    if (share.permissions === given) return;
    const payload: PermissionsPayload = { ...notice, permissions: share.permissions };
    const { revision } = share;
    await this.outbox.write(transaction, { ...about, kind: 'reshare-permissions', revision, payload });
  }

  private async giveInstead(
    transaction: Queryable,
    { messageId, subject }: OutgoingMessage,
    { instead }: ResharePayload,
  ): Promise<void> {
    const [share] = await transaction.rows(sql.GIVE_INSTEAD, { id: subject.id, peerId: instead.peerId });
    if (!share) return;
    const payload: OfferPayload = { ...instead.offer, permissions: share.permissions };
    const offerId = await this.outbox.write(transaction, {
      kind: 'share-create',
      subject,
      peerId: instead.peerId,
      revision: share.revision,
      payload,
      sealedSecret: share.token_enc,
    });
    await transaction.rows(sql.POINT_TO_OFFER, { messageId, offerId: offerId ?? null });
  }
}
