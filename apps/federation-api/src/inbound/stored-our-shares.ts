import { Injectable } from '@nestjs/common';
import type { OurShares, OurShareStore } from '#federation/exchange';
import {
  Database,
  InboxRepository,
  InboxShareRepository,
  OutboxRepository,
  ShareChangeMessages,
  type Queryable,
} from '#persistence';

/** Status of every accepted message. */
const TAKEN = 201;

/** Our shares in the database, with the messages about them. */
@Injectable()
export class StoredOurShares implements OurShareStore {
  constructor(
    private readonly database: Database,
    private readonly shares: InboxShareRepository,
    private readonly inbox: InboxRepository,
    private readonly outbox: OutboxRepository,
    private readonly messages: ShareChangeMessages,
  ) {}

  change<T>(work: (shares: OurShares) => Promise<T>): Promise<T> {
    return this.database.transaction((transaction) => work(this.within(transaction)));
  }

  async once<Reply>(
    { key, kind }: { readonly key: Buffer; readonly kind: string },
    work: (shares: OurShares) => Promise<{ readonly peerId: number; readonly reply: Reply }>,
  ): Promise<Reply> {
    const answer = await this.inbox.once({ dedupeHash: key, kind }, async (transaction) => ({
      ...(await work(this.within(transaction))),
      httpStatus: TAKEN,
    }));
    return answer.reply as Reply;
  }

  secretsOfEnded(shareId: number): Promise<Buffer[]> {
    return this.shares.secretsOfEnded(shareId);
  }

  setRequesterShareId(shareId: number, requesterShareId: string): Promise<Buffer | undefined> {
    return this.shares.setRequesterShareId(shareId, requesterShareId);
  }

  private within(transaction: Queryable): OurShares {
    const shares = new InboxShareRepository(transaction);
    return {
      lock: (shareId) => shares.lock(shareId),
      see: (shareId) => shares.see(shareId),
      accept: (shareId) => shares.accept(shareId),
      doubt: (shareId) => shares.doubt(shareId),
      changePermissions: (shareId, permissions) => shares.changePermissions(shareId, permissions),
      notifyRecipient: (shareId, permissions) =>
        this.messages.notifyRecipient(transaction, shareId, permissions),
      end: (shareId, reason) => shares.end(shareId, reason),
      revoke: (shareId) => shares.revoke(shareId),
      drop: (shareId) => shares.drop(shareId),
      insertRequested: (shareId, asked) => shares.insertRequested(shareId, asked),
      requestedBefore: (shareId, asked) => shares.requestedBefore(shareId, asked),
      offer: async (share, payload) => {
        const offerId = await this.outbox.write(transaction, {
          kind: 'share-create',
          subject: { type: 'share', id: share.id },
          peerId: share.recipientPeerId,
          revision: 0,
          payload,
          sealedSecret: share.tokenEnc,
        });
        return offerId!;
      },
    };
  }
}
