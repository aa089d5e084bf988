import { Injectable } from '@nestjs/common';
import { SHARE_TYPES } from '#sharing';
import { Database } from '../../database';
import { int4, int8, nullable, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { IS_FOR_MEMBERSHIP } from './group-fan-out-statements';

const RECIPIENT = {
  canonical: text,
  /** Federated cloud id as it was written. */
  recipient: text,
  /** State of the delivery; null if the member's share has ended, or they have no offer yet. */
  deliveryState: nullable(text),
  deliveryError: nullable(text),
  /** Decision of the member; includes `declined` and `left`, and `expired`. */
  acceptance: text,
  /** Text of a member who ended it. */
  reason: nullable(text),
};
/** A member at a partner of the group that a share is with. */
export type GroupRecipient = RowOf<typeof RECIPIENT>;

const LIST = statement({
  name: 'group_recipient.list',
  params: { shareId: int8, after: text, limit: int8 },
  row: RECIPIENT,
  sql: `SELECT m.canonical, m.cloud_id AS recipient, c.delivery_state AS "deliveryState", c.delivery_error AS "deliveryError",
     coalesce(r.ended, c.acceptance, 'unknown') AS acceptance, r.reason
   FROM share s JOIN group_remote_member m ON m.gid = s.recipient_canonical
   LEFT JOIN group_recipient r ON r.group_share_id = s.id AND ${IS_FOR_MEMBERSHIP} LEFT JOIN share c ON c.id = r.share_id
   WHERE s.id = :shareId AND s.share_type = ${SHARE_TYPES.group} AND m.canonical > :after ORDER BY m.canonical LIMIT :limit`,
});
const COUNT = statement({
  name: 'group_recipient.count',
  params: { shareId: int8 },
  row: { total: int4, accepted: int4, ended: int4 },
  sql: `SELECT count(*)::integer AS total, (count(*) FILTER (WHERE c.acceptance = 'accepted'))::integer AS accepted,
     (count(*) FILTER (WHERE r.ended IS NOT NULL))::integer AS ended
   FROM share s JOIN group_remote_member m ON m.gid = s.recipient_canonical
   LEFT JOIN group_recipient r ON r.group_share_id = s.id AND ${IS_FOR_MEMBERSHIP} LEFT JOIN share c ON c.id = r.share_id
   WHERE s.id = :shareId AND s.share_type = ${SHARE_TYPES.group}`,
});
/** Numbers of a share's members at partners: in all, those who accepted, and those whose share has ended. */
export type GroupRecipientCount = RowOf<(typeof COUNT)['row']>;

/** Members at partners of groups that shares are with. */
@Injectable()
export class GroupRecipientRepository {
  constructor(private readonly database: Database) {}

  /** Members behind `after`, in the order of their canonical ids. */
  list(shareId: number, after: string, limit: number): Promise<GroupRecipient[]> {
    return this.database.rows(LIST, { shareId, after, limit });
  }

  async count(shareId: number): Promise<GroupRecipientCount> {
    return (await this.database.rows(COUNT, { shareId }))[0]!;
  }
}
