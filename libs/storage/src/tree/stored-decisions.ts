import type { DecisionChanges, NewMessage } from '#federation/exchange';
import {
  OutboxRepository,
  ReceivedShareNoticeRepository,
  ReceivedShareRepository,
  type Database,
  type Queryable,
} from '#persistence';
import type { PublicAddress } from '#platform';

/** Decisions of recipients on shares from partners, in one transaction. */
export class StoredDecisions implements DecisionChanges {
  private readonly shares: ReceivedShareRepository;
  private readonly outbox: OutboxRepository;

  constructor(
    database: Database,
    private readonly transaction: Queryable,
    private readonly address: Pick<PublicAddress, 'url'> | undefined,
  ) {
    this.shares = new ReceivedShareRepository(database);
    this.outbox = new OutboxRepository(database);
  }

  get ourUrl(): string | null {
    return this.address?.url ?? null;
  }

  changeState(id: number, state: 'accepted' | 'declined'): Promise<number> {
    return this.shares.changeState(this.transaction, id, state);
  }

  removeNotice(recipientUid: string, id: number): Promise<void> {
    return new ReceivedShareNoticeRepository(this.transaction).remove(recipientUid, id);
  }

  async send(message: NewMessage): Promise<void> {
    await this.outbox.write(this.transaction, message);
  }
}
