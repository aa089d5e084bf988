import { Injectable } from '@nestjs/common';
import {
  expiringForRecipientText,
  expiringText,
  fallbackOf,
  settingDefinition,
  SHARE_TYPES,
  STATE_NUMBERS,
} from '#sharing';
import { Database, type Queryable } from '../../database';
import { date, filtered, int4, int8, nullable, text } from '../../postgres-types';
import { statement } from '../../statement';
import { notify, type Notice } from '../accounts/notices';
import { EXPIRING_SHARE, expiringReceived } from '../accounts/notified-objects';
import { LISTED } from '../../received-states';
import { seesNode } from './coverage-sql';

/** No reminder in the first day of a share: its maker still knows its end. */
const OLD_ENOUGH = `interval '1 day'`;

const DAYS = statement({
  name: 'expiring_share.days',
  params: { fallback: int4 },
  row: { days: int4 },
  sql: `SELECT coalesce((SELECT value::integer FROM setting WHERE app = 'files_sharing' AND key = 'remind_days_before_expiry'), :fallback::integer) AS days`,
});
/**
 * A recipient who declined gets none, and neither does an initiator who does not see any more what they passed on. Shares with group members at partners cause one notification, about the share with the group.
 */
const REMIND_OF_OURS = statement({
  name: 'expiring_share.remind_of_ours',
  params: { days: int4, limit: int8 },
  row: {
    id: int8,
    initiator: nullable(text),
    initiatorName: text,
    name: text,
    expiresOn: filtered(date),
    recipient: nullable(text),
    localRecipient: nullable(text),
  },
  sql: `WITH due AS (
     SELECT id FROM share WHERE expires_on BETWEEN current_date AND current_date + :days::integer AND reminded_of IS DISTINCT FROM expires_on
       AND trashed_at IS NULL AND group_share_id IS NULL AND created_at < now() - ${OLD_ENOUGH}
     ORDER BY id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
   ), reminded AS (
     UPDATE share s SET reminded_of = s.expires_on FROM due WHERE s.id = due.id RETURNING s.*
   )
   SELECT s.id, CASE WHEN ${seesNode('s.initiator_uid', 'n')} THEN s.initiator_uid END AS initiator, i.display_name AS "initiatorName", n.name, s.expires_on AS "expiresOn",
     coalesce(r.display_name, s.recipient) AS recipient, CASE WHEN NOT EXISTS (
       SELECT FROM share_recipient d WHERE d.share_id = s.id AND d.uid = r.uid AND d.state = ${STATE_NUMBERS.declined}
     ) THEN r.uid END AS "localRecipient"
   FROM reminded s JOIN node n ON n.id = s.node_id JOIN user_account i ON i.uid = s.initiator_uid
   LEFT JOIN user_account r ON s.share_type = ${SHARE_TYPES.user} AND r.uid = s.recipient_canonical`,
});
const REMIND_OF_RECEIVED = statement({
  name: 'expiring_share.remind_of_received',
  params: { days: int4, limit: int8 },
  row: { id: int8, uid: text, sender: text, name: text, expiresOn: date },
  sql: `WITH due AS (
     SELECT id FROM received_share WHERE expires_at > now() AND expires_at < current_date + :days::integer + 1
       AND reminded_of IS DISTINCT FROM expires_at AND state IN ${LISTED} AND received_at < now() - ${OLD_ENOUGH}
     ORDER BY id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE received_share r SET reminded_of = r.expires_at FROM due WHERE r.id = due.id
   RETURNING r.id, r.recipient_uid AS uid, coalesce(nullif(r.sender_display_name, ''), r.sender) AS sender, r.name,
     ((r.expires_at AT TIME ZONE 'UTC') - interval '1 second')::date AS "expiresOn"`,
});

const SETTING = settingDefinition('files_sharing', 'remind_days_before_expiry')!;

/** Shares that end soon. People are reminded once for each last day. */
@Injectable()
export class ExpiringShareRepository {
  constructor(private readonly database: Database) {}

  /** Sends reminders about at most `limit` shares of ours, and as many received ones. @returns the larger of the two numbers */
  async remind(limit: number): Promise<number> {
    const [{ days } = { days: 0 }] = await this.database.rows(DAYS, {
      fallback: Number(fallbackOf(SETTING, 'documented')),
    });
    if (days === 0) return 0;
    return this.database.transaction(async (transaction) => {
      const ours = await this.remindOfOurs(transaction, days, limit);
      return Math.max(ours, await this.remindOfReceived(transaction, days, limit));
    });
  }

  private async remindOfOurs(transaction: Queryable, days: number, limit: number): Promise<number> {
    const shares = await transaction.rows(REMIND_OF_OURS, { days, limit });
    const notices = shares.flatMap((share): Notice[] => {
      const about = { objectType: EXPIRING_SHARE, objectId: String(share.id) };
      const { initiator, initiatorName, localRecipient } = share;
      return [
        ...(initiator === null
          ? []
          : [{ uid: initiator, ...about, text: expiringText(share, share.recipient) }]),
        ...(localRecipient === null
          ? []
          : [{ uid: localRecipient, ...about, text: expiringForRecipientText(share, initiatorName) }]),
      ];
    });
    await notify(transaction, notices);
    return shares.length;
  }

  private async remindOfReceived(transaction: Queryable, days: number, limit: number): Promise<number> {
    const shares = await transaction.rows(REMIND_OF_RECEIVED, { days, limit });
    const notices = shares.map(({ id, uid, sender, ...share }) => ({
      uid,
      objectType: EXPIRING_SHARE,
      objectId: expiringReceived(id),
      text: expiringForRecipientText(share, sender),
    }));
    await notify(transaction, notices);
    return shares.length;
  }
}
