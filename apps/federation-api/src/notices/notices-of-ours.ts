import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FederationRefused, wordsOf, type PartnerNotice } from '#federation/protocol';
import {
  Database,
  InboxRepository,
  InboxShareRepository,
  type NotifiedShareRow,
  type Queryable,
} from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';

type Binding = Pick<PartnerNotice, 'providerId' | 'sharedSecret'>;

const TAKEN = { httpStatus: 201, reply: undefined } as const;

/** What partners say about shares of ours; each is bound to one by provider id and shared secret together. */
@Injectable()
export class NoticesOfOurs {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly database: Database,
    private readonly inbox: InboxRepository,
  ) {}

  /** The recipient accepted. @throws FederationRefused */
  async accepted(notice: Binding): Promise<void> {
    await this.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.lock(transaction, notice);
      await new InboxShareRepository(transaction).accept(share.id);
    });
  }

  /**
   * The recipient declined, or left what he had accepted: the share ends. Said again, it is answered as at first,
   * although nothing is there any more.
   * @throws FederationRefused
   */
  async declined(notice: Binding): Promise<void> {
    await this.assertOutgoing();
    // One without a secret is refused below, and a refusal is not kept.
    const secret = notice.sharedSecret?.reveal() ?? '';
    const dedupeHash = this.secrets.lookup(`share-declined\n${notice.providerId}\n${secret}`);
    await this.inbox.once({ dedupeHash, kind: 'share-declined' }, async (transaction) => {
      const share = await this.lock(transaction, notice);
      await new InboxShareRepository(transaction).end(share.id);
      return { peerId: share.peerId, ...TAKEN };
    });
  }

  /** @param permissions bits; only fewer than there are @throws FederationRefused */
  async permissionsLowered(notice: Binding, permissions: number): Promise<void> {
    await this.assertOutgoing();
    await this.database.transaction(async (transaction) => {
      const share = await this.lock(transaction, notice);
      if ((permissions & ~share.permissions) !== 0) throw new FederationRefused('permission-refused');
      // The words for permissions say nothing of deleting: the same words are no change.
      if (String(wordsOf(permissions)) === String(wordsOf(share.permissions))) return;
      await new InboxShareRepository(transaction).changePermissions(share.id, permissions);
    });
  }

  /** A message that is not acted on; who does not know the share learns no more than that. @throws FederationRefused */
  async unsupported(notice: Binding, type: string): Promise<void> {
    await this.assertOutgoing();
    await this.database.transaction((transaction) => this.lock(transaction, notice));
    throw new FederationRefused('notification-unsupported', type);
  }

  private async assertOutgoing(): Promise<void> {
    if (!(await this.policy.current()).federation.outgoing) throw new FederationRefused('outgoing-disabled');
  }

  private async lock(transaction: Queryable, notice: Binding): Promise<NotifiedShareRow> {
    const { providerId, sharedSecret } = notice;
    // We number our shares: any other id is none of ours.
    const share = /^[1-9]\d{0,14}$/.test(providerId)
      ? await new InboxShareRepository(transaction).lock(Number(providerId))
      : undefined;
    if (!share) throw new FederationRefused('share-unknown', providerId);
    const given = sharedSecret && this.secrets.lookup(sharedSecret.reveal());
    if (!given || !timingSafeEqual(given, share.tokenHmac)) throw new FederationRefused('secret-wrong');
    return share;
  }
}
