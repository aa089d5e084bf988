import { SHARE_TYPES } from '#sharing';
import type { Database } from '../../database';
import { int4, int8, nullable, type RowOf, text, textOf, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

/** A share to which a partner gave no answer. */
const UNANSWERED_SHARE = {
  share: int8,
  host: text,
  /** Cloud id of the recipient. */
  recipient: nullable(text),
  /** null if the share is gone. */
  initiator: nullable(text),
  name: nullable(text),
  /**
   * `no answer`: the partner accepted the offer, but nobody accepted, declined or read the share since. `not told of its end`: the
   * share has ended and gives no access, but its partner never accepted the message about that, so its recipient may still see it.
   */
  warning: textOf<'no answer' | 'not told of its end'>(),
  since: timestamptz,
};
export type UnansweredShare = RowOf<typeof UNANSWERED_SHARE>;

const LIST = statement({
  name: 'unanswered_share.list',
  params: { days: int4, host: nullable(text), limit: int8, skip: int8 },
  row: UNANSWERED_SHARE,
  sql: `SELECT s.id AS share, p.host_key AS host, s.recipient, s.initiator_uid AS initiator, n.name, 'no answer' AS warning,
     s.delivered_at AS since
   FROM share s JOIN peer p ON p.id = s.peer_id JOIN node n ON n.id = s.node_id
   WHERE s.share_type = ${SHARE_TYPES.federated} AND s.delivery_state IN ('delivered', 'not-sent') AND s.acceptance = 'unknown'
     AND s.delivered_at < now() - :days::int * interval '1 day' AND (:host::text IS NULL OR p.host_key = :host)
   UNION ALL
   SELECT m.subject_id, p.host_key, m.payload ->> 'grantee', NULL, NULL, 'not told of its end', m.finished_at
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.kind = 'share-unshare' AND m.state IN ('dead', 'refused', 'cancelled') AND (:host::text IS NULL OR p.host_key = :host)
   ORDER BY since, share, host LIMIT :limit OFFSET :skip`,
});

/** Our shares with partners that never answered. */
export class UnansweredShareRepository {
  constructor(private readonly database: Database) {}

  /** The oldest first. @param days time that an offer may stay without an answer @param host null for all partners */
  list(days: number, host: string | null, limit: number, skip = 0): Promise<UnansweredShare[]> {
    return this.database.rows(LIST, { days, host, limit, skip });
  }
}
