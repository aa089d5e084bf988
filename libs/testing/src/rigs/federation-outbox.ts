import type { MessageKind, NewMessage } from '#federation/exchange';
import { OutboxRepository, PeerRepository, type Database } from '#persistence';

/** Limits that are never reached. */
export interface PeerLimits {
  readonly concurrency?: number;
  readonly perSecond?: number;
  readonly burst?: number;
}

/** Messages and partners for specs, stored by the product's own code. */
export class FederationOutbox {
  private readonly outbox: OutboxRepository;
  private readonly peers: PeerRepository;
  private revision = 0;

  constructor(private readonly database: Database) {
    this.outbox = new OutboxRepository(database);
    this.peers = new PeerRepository(database);
  }

  /** @returns the partner's id */
  async addPeer(
    hostKey: string,
    { concurrency = 100, perSecond = 1e6, burst = 1e6 }: PeerLimits = {},
  ): Promise<number> {
    const { id } = await this.peers.ensure(hostKey);
    const sql = 'UPDATE peer SET concurrency = $2, rate_per_second = $3, rate_burst = $4 WHERE id = $1';
    await this.query(sql, [id, concurrency, perSecond, burst]);
    return id;
  }

  /** @returns the message's id; undefined if no message was needed */
  write(
    peerId: number,
    kind: MessageKind,
    subjectId: number,
    content: Partial<Pick<NewMessage, 'payload' | 'sealedSecret'>> = {},
  ): Promise<number | undefined> {
    const about = {
      kind,
      subject: { type: 'share', id: subjectId },
      peerId,
      revision: ++this.revision,
    } as const;
    return this.database.transaction((transaction) =>
      this.outbox.write(transaction, { ...about, payload: { name: 'plan' }, sealedSecret: null, ...content }),
    );
  }

  /** Ends all pauses and leases, visible to workers at once. */
  async letTimePass(): Promise<void> {
    await this.query(
      `UPDATE outbox_message SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`,
    );
    await this.letPausesPass();
  }

  /** Makes every retry due, but leaves running deliveries to their workers. */
  async letPausesPass(): Promise<void> {
    await this.query(`UPDATE outbox_message SET available_at = now() WHERE state = 'pending'`);
    await this.query(`UPDATE peer SET parked_until = NULL, discovery_failed_until = NULL, gate = jsonb_set(gate, '{breaker,openUntilMs}',
      CASE WHEN gate #> '{breaker,openUntilMs}' = 'null'::jsonb THEN 'null'::jsonb ELSE '1'::jsonb END)`);
    await this.query(`SELECT pg_notify('drawbridge_changes', 'outbox:')`);
  }

  /** States by message id, in order. */
  async states(): Promise<Map<number, string>> {
    const rows = await this.query<{ id: number; state: string }>(
      'SELECT id, state FROM outbox_message ORDER BY id',
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  query<Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(sql, values);
  }

  async clear(): Promise<void> {
    await this.query('DELETE FROM outbox_message');
    await this.query('DELETE FROM share');
    await this.query('DELETE FROM peer');
  }
}
