import { Injectable } from '@nestjs/common';
import { changeForRecipient, changeForRequester, type TouchedShare } from '#federation/exchange';
import { readsAdditions } from '#federation/protocol';
import type { Queryable } from '../../database';
import { OutboxRepository } from '../deliveries/outbox.repository';
import { RECIPIENT_PRODUCT, RENEW_OFFERS, TOUCH_FEDERATED } from './share-write-statements';

/** Tells partners about changes of a federated share, in the transaction of the change. */
@Injectable()
export class ShareChangeMessages {
  constructor(private readonly outbox: OutboxRepository) {}

  /** Tells the share's recipient and its requester about a change that was made here. */
  async notifyAll(transaction: Queryable, shareId: number, permissions: number): Promise<void> {
    const touched = await touch(transaction, shareId);
    if (!touched) return;
    await this.outbox.write(transaction, changeForRecipient(shareId, touched, permissions));
    const message = changeForRequester(shareId, touched, permissions);
    if (message) await this.outbox.write(transaction, message);
  }

  /** Tells only the recipient's server; `origin` is that of the change, if it was made earlier. */
  async notifyRecipient(
    transaction: Queryable,
    shareId: number,
    permissions: number,
    origin?: string | null,
  ): Promise<void> {
    const touched = await touch(transaction, shareId);
    if (touched)
      await this.outbox.write(transaction, changeForRecipient(shareId, touched, permissions), origin);
  }

  /** Tells the recipient's server about a changed expiry or note, if its product has a message for that. */
  async notifyOfAdditions(
    transaction: Queryable,
    shareId: number,
    permissions: number,
    origin?: string | null,
  ): Promise<void> {
    const [recipient] = await transaction.rows(RECIPIENT_PRODUCT, { shareId });
    if (recipient?.product && readsAdditions(recipient.product))
      await this.notifyRecipient(transaction, shareId, permissions, origin);
    else await transaction.rows(RENEW_OFFERS, { shareIds: [shareId] });
  }
}

/** @returns the values for messages about the change; undefined if no message is needed */
async function touch(transaction: Queryable, shareId: number): Promise<TouchedShare | undefined> {
  await transaction.rows(RENEW_OFFERS, { shareIds: [shareId] });
  return (await transaction.rows(TOUCH_FEDERATED, { shareId }))[0];
}
