import { SHARE_TYPES } from '#sharing';
import type { Database } from '../../database';
import { statement } from '../../statement';

/** Something that a partner left open. */
export interface UnansweredShare {
  readonly share: number;
  readonly host: string;
  /** Cloud id of the recipient. */
  readonly recipient: string | null;
  /** null where the share is gone already. */
  readonly initiator: string | null;
  readonly name: string | null;
  /**
   * `no answer`: the partner took the offer, and nobody accepted, declined or read it since. `not told of its end`: the
   * share is over and gives no access; its partner never took the word of that, so its recipient may still see it.
   */
  readonly warning: 'no answer' | 'not told of its end';
  readonly since: Date;
}

const LIST = statement<UnansweredShare>(
  'unanswered_share.list',
  `SELECT s.id AS share, p.host_key AS host, s.recipient, s.initiator_uid AS initiator, n.name, 'no answer' AS warning,
     s.delivered_at AS since
   FROM share s JOIN peer p ON p.id = s.peer_id JOIN node n ON n.id = s.node_id
   WHERE s.share_type = ${SHARE_TYPES.federated} AND s.delivery_state IN ('delivered', 'not-sent') AND s.acceptance = 'unknown'
     AND s.delivered_at < now() - $1::int * interval '1 day' AND ($2::text IS NULL OR p.host_key = $2)
   UNION ALL
   SELECT m.subject_id, p.host_key, m.payload ->> 'grantee', NULL, NULL, 'not told of its end', m.finished_at
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.subject_type = 'share' AND m.kind = 'share-unshare' AND m.state = 'dead' AND ($2::text IS NULL OR p.host_key = $2)
   ORDER BY since, share LIMIT $3`,
);

/** Our shares with partners that never said anything to them. */
export class UnansweredShareRepository {
  constructor(private readonly database: Database) {}

  /** The oldest first. @param days so long an offer may stay without an answer @param host null for all partners */
  list(days: number, host: string | null, limit: number): Promise<UnansweredShare[]> {
    return this.database.rows(LIST, [days, host, limit]);
  }
}
