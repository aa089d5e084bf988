import { Injectable } from '@nestjs/common';
import { FederationRefused, leftBy, wordsOf, type PartnerNotice } from '#federation/protocol';
import {
  Database,
  InboxRepository,
  InboxShareRepository,
  ShareChangeMessages,
  type NotifiedShareRow,
  type Queryable,
} from '#persistence';
import { SecretBox } from '#platform';
import { clampToKind } from '#sharing';
import { BoundShares, type Binding } from './bound-shares';

export type ChangeNotice = Binding & Extract<PartnerNotice, { kind: 'permissions-changed' }>;

/** The words for permissions say nothing of deleting: the same words are no change. */
function saysNothingNew(
  notice: Pick<ChangeNotice, 'permissions' | 'exact'>,
  share: NotifiedShareRow,
): boolean {
  const { permissions, exact } = notice;
  return exact
    ? permissions === share.permissions
    : String(wordsOf(permissions)) === String(wordsOf(share.permissions));
}

/** Notices of partners about our shares, and of owners about shares that they made on our request. */
@Injectable()
export class NoticesOfOurs {
  constructor(
    private readonly shares: BoundShares,
    private readonly secrets: SecretBox,
    private readonly database: Database,
    private readonly inbox: InboxRepository,
    private readonly messages: ShareChangeMessages,
  ) {}

  /** The recipient accepted. @throws FederationRefused */
  async accepted(notice: Binding): Promise<void> {
    await this.shares.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      await new InboxShareRepository(transaction).accept(share.id);
    });
  }

  /** The recipient declined, or left an accepted share: the share ends. @throws FederationRefused */
  async declined(notice: Binding): Promise<void> {
    await this.shares.assertOutgoing();
    try {
      if (await this.isDoubtful(notice)) return;
      await this.once('share-declined', notice, async (transaction, share) => {
        await new InboxShareRepository(transaction).end(share.id);
      });
    } catch (error) {
      // ownCloud repeats a refused message for hours, and a share that ended here before is what it wants.
      if (!(error instanceof FederationRefused) || !(await this.shares.hasEnded(this.database, notice)))
        throw error;
    }
  }

  /** The first of two declines is not followed where the recipient may have the share twice and uses one of them. */
  private async isDoubtful(notice: Binding): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const share = await this.shares.find(transaction, notice);
      return share !== undefined && (await new InboxShareRepository(transaction).doubt(share.id));
    });
  }

  /**
   * The requester takes back a share with another person, or the owner takes back a share that we requested.
   * @throws FederationRefused
   */
  async reshareUndone(notice: Binding): Promise<void> {
    await this.once('reshare-undone', notice, async (transaction, share) => {
      const repository = new InboxShareRepository(transaction);
      // A withdrawal by the owner is followed whatever is switched off.
      if (share.isGranted) return repository.drop(share.id);
      await this.shares.assertOutgoing();
      if (share.requesterPeerId !== null) await repository.revoke(share.id);
      else throw new FederationRefused('share-unknown', notice.providerId);
    });
  }

  /** Only the owner of a share says that there are more. @throws FederationRefused */
  async permissionsChanged(notice: ChangeNotice): Promise<void> {
    await this.shares.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      // A word can stand for more than a file can have, and for more than what is meant.
      const said = clampToKind(notice.permissions, share.kind);
      const permissions = notice.exact || share.isGranted ? said : leftBy(said, share.permissions);
      if (!share.isGranted && (permissions & ~share.permissions) !== 0)
        throw new FederationRefused('permission-refused');
      if (saysNothingNew({ permissions, exact: notice.exact }, share)) return;
      await new InboxShareRepository(transaction).changePermissions(share.id, permissions);
      // The sender of the notice gets no message: for a requested share that is the requester, and its recipient has to
      // know.
      if (share.requesterPeerId !== null)
        await this.messages.notifyRecipient(transaction, share.id, permissions);
    });
  }

  /** An end that is said again is answered as at first, although nothing is there any more. */
  private async once(
    kind: string,
    notice: Binding,
    work: (transaction: Queryable, share: NotifiedShareRow) => Promise<void>,
  ): Promise<void> {
    // One that is bound by nothing is refused below, and a refusal is not kept.
    const boundBy = notice.sharedSecret?.reveal() ?? notice.senders.join();
    const dedupeHash = this.secrets.lookup(`${kind}\n${notice.providerId}\n${boundBy}`);
    await this.inbox.once({ dedupeHash, kind }, async (transaction) => {
      const share = await this.shares.lock(transaction, notice);
      await work(transaction, share);
      return { peerId: share.peerId, httpStatus: 201, reply: undefined };
    });
  }
}
