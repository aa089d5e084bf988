import { Injectable } from '@nestjs/common';
import { FederationRefused, wordsOf } from '#federation/protocol';
import {
  Database,
  InboxRepository,
  InboxShareRepository,
  type NotifiedShareRow,
  type Queryable,
} from '#persistence';
import { SecretBox } from '#platform';
import { BoundShares, type Binding } from './bound-shares';

/** What partners say about shares of ours. */
@Injectable()
export class NoticesOfOurs {
  constructor(
    private readonly shares: BoundShares,
    private readonly secrets: SecretBox,
    private readonly database: Database,
    private readonly inbox: InboxRepository,
  ) {}

  /** The recipient accepted. @throws FederationRefused */
  async accepted(notice: Binding): Promise<void> {
    await this.shares.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      await new InboxShareRepository(transaction).accept(share.id);
    });
  }

  /** The recipient declined, or left what he had accepted: the share ends. @throws FederationRefused */
  async declined(notice: Binding): Promise<void> {
    await this.once('share-declined', notice, async (transaction, share) => {
      await new InboxShareRepository(transaction).end(share.id);
    });
  }

  /** Who asked for a share with somebody else takes it back. @throws FederationRefused */
  async reshareUndone(notice: Binding): Promise<void> {
    await this.once('reshare-undone', notice, async (transaction, share) => {
      if (share.requesterPeerId === null) throw new FederationRefused('share-unknown', notice.providerId);
      await new InboxShareRepository(transaction).revoke(share.id);
    });
  }

  /** @param permissions bits; only fewer than there are @throws FederationRefused */
  async permissionsLowered(notice: Binding, permissions: number): Promise<void> {
    await this.shares.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      if ((permissions & ~share.permissions) !== 0) throw new FederationRefused('permission-refused');
      // The words for permissions say nothing of deleting: the same words are no change.
      if (String(wordsOf(permissions)) === String(wordsOf(share.permissions))) return;
      await new InboxShareRepository(transaction).changePermissions(share.id, permissions);
    });
  }

  /** An end that is said again is answered as at first, although nothing is there any more. */
  private async once(
    kind: string,
    notice: Binding,
    work: (transaction: Queryable, share: NotifiedShareRow) => Promise<void>,
  ): Promise<void> {
    await this.shares.assertOutgoing();
    // One without a secret is refused below, and a refusal is not kept.
    const secret = notice.sharedSecret?.reveal() ?? '';
    const dedupeHash = this.secrets.lookup(`${kind}\n${notice.providerId}\n${secret}`);
    await this.inbox.once({ dedupeHash, kind }, async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      await work(transaction, share);
      return { peerId: share.peerId, httpStatus: 201, reply: undefined };
    });
  }
}
