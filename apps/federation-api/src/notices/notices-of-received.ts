import { Injectable } from '@nestjs/common';
import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import {
  AuditRepository,
  Database,
  ReceivedShareNoticeRepository,
  ReceivedShareRepository,
  type Queryable,
  type ReceivedShareRow,
} from '#persistence';
import { SecretBox } from '#platform';
import { clampToKind, ONE_REFUSAL_LEFT, receivedStateAfter } from '#sharing';
import type { Binding } from './bound-shares';

/**
 * Notices of owners about shares that our users received. They are followed whatever is switched off: a withdrawn share
 * must not stay visible.
 */
@Injectable()
export class NoticesOfReceived {
  private readonly audit: AuditRepository;

  constructor(
    private readonly shares: ReceivedShareRepository,
    private readonly secrets: SecretBox,
    private readonly database: Database,
  ) {
    this.audit = new AuditRepository(database);
  }

  /**
   * The owner took the share back. One that is not known is gone already, which is what the owner wants; a guess looks the
   * same, and is recorded.
   */
  async takenBack(notice: Binding): Promise<void> {
    const known = await this.database.transaction(async (transaction) => {
      const rows = await this.lock(transaction, notice);
      for (const row of rows) await this.end(transaction, row);
      return rows.length;
    });
    if (known === 0)
      await this.audit.recordRefusal('message.take', ['message', null], { reason: 'share-unknown' });
  }

  /**
   * Somebody with the secret says that the share ended, and is not proven to be its owner's server: the server of who passed it on,
   * or a thief. The owner's server is looked at, and decides.
   */
  async doubt({ providerId, sharedSecret }: PartnerNotice): Promise<void> {
    if (!sharedSecret) return;
    const known = { providerId, tokenHmac: this.secrets.lookup(sharedSecret.reveal()) };
    await this.database.transaction((transaction) => this.shares.doubt(transaction, known, ONE_REFUSAL_LEFT));
  }

  private async end(transaction: Queryable, { id, state, recipientUid }: ReceivedShareRow): Promise<void> {
    const next = receivedStateAfter(state, 'revoke');
    if (next === undefined) return;
    await this.shares.changeState(transaction, id, next);
    await new ReceivedShareNoticeRepository(transaction).remove(recipientUid, id);
  }

  /** @param permissions bits @throws FederationRefused share-unknown */
  async permissionsChanged(notice: Binding, permissions: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const rows = await this.lock(transaction, notice);
      if (rows.length === 0) throw new FederationRefused('share-unknown', notice.providerId);
      for (const row of rows) {
        const granted = clampToKind(permissions, row.kind ?? 'folder');
        if (granted !== row.permissions) await this.shares.changePermissions(transaction, row.id, granted);
      }
    });
  }

  private async lock(
    transaction: Queryable,
    { providerId, sharedSecret, senders, isSigned }: Binding,
  ): Promise<ReceivedShareRow[]> {
    if (!sharedSecret) return isSigned ? this.shares.lockOfPartners(transaction, providerId, senders) : [];
    const tokenHmac = this.secrets.lookup(sharedSecret.reveal());
    const rows = await this.shares.lockBySecret(transaction, providerId, tokenHmac);
    return rows.filter(({ peerId }) => senders.includes(peerId));
  }
}
