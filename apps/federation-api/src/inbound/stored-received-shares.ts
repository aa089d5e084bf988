import { Injectable } from '@nestjs/common';
import type { ReceivedShareChanges, ReceivedSharesHeld } from '#federation/exchange';
import {
  AuditRepository,
  Database,
  ReceivedShareNoticeRepository,
  ReceivedShareRepository,
  type Queryable,
} from '#persistence';
import { ReceivedShares } from '#storage';

/** Received shares in the database. */
@Injectable()
export class StoredReceivedShares implements ReceivedShareChanges {
  constructor(
    private readonly database: Database,
    private readonly shares: ReceivedShareRepository,
    private readonly audit: AuditRepository,
    private readonly places: ReceivedShares,
  ) {}

  change<T>(work: (shares: ReceivedSharesHeld) => Promise<T>): Promise<T> {
    return this.database.transaction((transaction) => work(this.within(transaction)));
  }

  insert(...offer: Parameters<ReceivedShareChanges['insert']>): ReturnType<ReceivedShareChanges['insert']> {
    return this.shares.insert(...offer);
  }

  withdrawUnsigned(peerId: number): Promise<void> {
    return this.shares.withdrawUnsigned(peerId);
  }

  recordUnknown(): Promise<void> {
    return this.audit.recordRefusal('message.take', ['message', null], { reason: 'share-unknown' });
  }

  private within(transaction: Queryable): ReceivedSharesHeld {
    const { shares } = this;
    return {
      lockBySecret: (providerId, key) => shares.lockBySecret(transaction, providerId, key),
      lockOfPartners: (providerId, peerIds) => shares.lockOfPartners(transaction, providerId, peerIds),
      end: async ({ id, recipientUid }, state) => {
        await shares.changeState(transaction, id, state);
        await new ReceivedShareNoticeRepository(transaction).remove(recipientUid, id);
      },
      changePermissions: (id, permissions) => shares.changePermissions(transaction, id, permissions),
      changeExpiry: (id, expiresAt) => this.changeExpiry(transaction, id, expiresAt),
      changeDescription: (id, description) => shares.changeDescription(transaction, id, description),
      probeNow: (id, etag) => shares.probeNow(transaction, id, etag),
      doubt: (share, doubt) => shares.doubt(transaction, share, doubt),
    };
  }

  /** A share that had expired comes back to its place, or beside what stands there by now. */
  private async changeExpiry(transaction: Queryable, id: number, expiresAt: Date | null): Promise<void> {
    const revived = await this.shares.changeExpiry(transaction, id, expiresAt);
    if (!revived) return;
    const { recipientUid, kind, formerTarget } = revived;
    const fileTarget = await this.places.freeTarget(transaction, recipientUid, formerTarget, kind);
    await this.shares.place(transaction, id, fileTarget);
  }
}
