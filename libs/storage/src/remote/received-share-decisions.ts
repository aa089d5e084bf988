import type { NoticePayload } from '#federation/delivery';
import { LINK_DIALECT, localCloudId } from '#federation/protocol';
import {
  OutboxRepository,
  ReceivedShareNoticeRepository,
  ReceivedShareRepository,
  type Database,
  type Queryable,
  type ReceivedShareRow,
} from '#persistence';
import type { PublicAddress } from '#platform';

/** Decisions of recipients on shares from partners; the one place that tells partners of them. */
export class ReceivedShareDecisions {
  private readonly shares: ReceivedShareRepository;
  private readonly outbox: OutboxRepository;

  /** @param address our own; where it is not known, partners know the recipient by the secret alone */
  constructor(
    database: Database,
    private readonly address?: Pick<PublicAddress, 'url'>,
  ) {
    this.shares = new ReceivedShareRepository(database);
    this.outbox = new OutboxRepository(database);
  }

  /**
   * Writes the decision on a locked share with what follows from it: its notice goes, and its partner is told.
   * @returns the share's new revision
   */
  async write(
    transaction: Queryable,
    row: ReceivedShareRow,
    state: 'accepted' | 'declined',
  ): Promise<number> {
    const revision = await this.shares.changeState(transaction, row.id, state);
    await new ReceivedShareNoticeRepository(transaction).remove(row.recipientUid, row.id);
    await this.tell(transaction, row, state, revision);
    return revision;
  }

  /** The user leaves the shares of partners at a path of their tree and below it. */
  async leaveAtOrBelow(transaction: Queryable, uid: string, path: string): Promise<void> {
    for (const row of await this.shares.lockMountedAtOrBelow(transaction, uid, path))
      await this.write(transaction, row, 'declined');
  }

  /** The message outlives the row: whatever its sender needs is in it. */
  private async tell(
    transaction: Queryable,
    row: ReceivedShareRow,
    state: 'accepted' | 'declined',
    revision: number,
  ): Promise<void> {
    // The server of a public link does not know who reads it.
    if (row.dialect === LINK_DIALECT) return;
    const payload: NoticePayload = {
      providerId: row.providerId,
      grantee: this.address ? localCloudId(row.recipientUid, this.address.url).raw : null,
    };
    await this.outbox.write(transaction, {
      kind: state === 'accepted' ? 'received-accept' : 'received-decline',
      subject: { type: 'received-share', id: row.id },
      peerId: row.peerId,
      revision,
      payload,
      sealedSecret: row.tokenEnc,
    });
  }
}
