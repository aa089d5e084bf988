import { Injectable } from '@nestjs/common';
import { changeOfContent } from '#federation/exchange';
import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import { Database, type Queryable } from '../../database';
import { array, bytea, filtered, float8, int4, int8, nullable, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { OutboxRepository } from './outbox.repository';

/** Milliseconds for which changes of one share are collected, so that a client that uploads many files causes few messages. */
const COLLECTED_MS = 300;
/** Pause while a writer that will soon end has locked a change. */
const HELD_PAUSE_MS = 50;
const AT_ONCE = 100;

const NEXT = statement({
  name: 'content_change.next',
  params: { collectedMs: int4 },
  row: { inMs: nullable(float8) },
  sql: `SELECT (extract(epoch FROM min(changed_at) - now()) * 1000)::double precision + :collectedMs::int AS "inMs"
   FROM content_change WHERE told_revision < revision`,
});
const CLAIMED = { shareId: int8, revision: int4, path: nullable(text) };
const CLAIM = statement({
  name: 'content_change.claim',
  params: { collectedMs: int4, limit: int8 },
  row: CLAIMED,
  sql: `SELECT share_id AS "shareId", revision, path FROM content_change
   WHERE told_revision < revision AND changed_at <= now() - :collectedMs::int * interval '1 millisecond'
   ORDER BY changed_at LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED`,
});
/**
 * Runs after the claim, whose snapshot may be older than the lock that it waited for. If the owner's server made the
 * share, that server sends the message.
 */
const DESCRIBE = statement({
  name: 'content_change.describe',
  params: { shareIds: array(int8), capability: text },
  row: {
    shareId: int8,
    peerId: int8,
    recipient: filtered(text),
    sealedSecret: filtered(bytea),
    rootPath: text,
    etag: text,
    size: int8,
  },
  sql: `SELECT s.id AS "shareId", present.id AS "peerId", s.recipient, s.token_enc AS "sealedSecret", n.path AS "rootPath", n.etag, n.size
   FROM share s JOIN node n ON n.id = s.node_id JOIN peer p ON p.id = s.peer_id JOIN peer present ON present.id = coalesce(p.alias_of, p.id)
   WHERE s.id = ANY(:shareIds::bigint[]) AND s.acceptance = 'accepted' AND s.granted_id IS NULL
     AND coalesce(present.pinned_profile, present.profile) -> 'capabilities' ? :capability ORDER BY s.id`,
});
const SETTLE = statement({
  name: 'content_change.settle',
  params: { shareIds: array(int8), revisions: array(int4) },
  sql: `UPDATE content_change c SET told_revision = reported.revision
   FROM unnest(:shareIds::bigint[], :revisions::int[]) AS reported (share_id, revision) WHERE c.share_id = reported.share_id`,
});

/** Changes in the content of federated shares, and the messages about them to partners. */
@Injectable()
export class ContentChangeRepository {
  private readonly outbox: OutboxRepository;

  constructor(private readonly database: Database) {
    this.outbox = new OutboxRepository(database);
  }

  /**
   * Writes messages about collected changes to partners that want them. Several workers may do so at once.
   * @returns milliseconds until more are due; null when no change waits
   */
  async writeDue(): Promise<number | null> {
    let inMs = await this.next();
    while (inMs !== null && inMs <= 0) {
      const count = await this.database.transaction((transaction) => this.writeSome(transaction));
      inMs = await this.next();
      if (count === 0 && inMs !== null) return Math.max(inMs, HELD_PAUSE_MS);
    }
    return inMs;
  }

  private async next(): Promise<number | null> {
    const [next] = await this.database.rows(NEXT, { collectedMs: COLLECTED_MS });
    return next!.inMs;
  }

  /** @returns the number of settled changes */
  private async writeSome(transaction: Queryable): Promise<number> {
    const claimed = await transaction.rows(CLAIM, { collectedMs: COLLECTED_MS, limit: AT_ONCE });
    const shareIds = claimed.map(({ shareId }) => shareId);
    if (shareIds.length === 0) return 0;
    await this.writeMessages(transaction, claimed, shareIds);
    await transaction.rows(SETTLE, { shareIds, revisions: claimed.map(({ revision }) => revision) });
    return claimed.length;
  }

  private async writeMessages(
    transaction: Queryable,
    claimed: readonly RowOf<typeof CLAIMED>[],
    shareIds: number[],
  ): Promise<void> {
    const changes = new Map(claimed.map((change) => [change.shareId, change]));
    const heard = await transaction.rows(DESCRIBE, { shareIds, capability: TAKES_CONTENT_CHANGES });
    for (const share of heard)
      await this.outbox.write(transaction, changeOfContent(share, changes.get(share.shareId)!), null);
  }
}
