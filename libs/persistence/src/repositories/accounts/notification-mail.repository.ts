import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { fromNow } from '../../database-clock';
import { NotificationMailEntity } from '../../entities/accounts/notification-mail.entity';
import { filtered, float8, int4, int8, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP } from './notified-objects';

const DUE_ROW = {
  id: int8,
  attempts: int4,
  subject: text,
  message: text,
  address: filtered(text),
  name: text,
};
/** A notification that is due to be mailed. */
export type DueNotification = RowOf<typeof DUE_ROW>;

/** Rows of people who have lost their address, and of notifications that are gone, stay until they are too old. */
const TAKE_NEXT = statement({
  name: 'notification_mail.take_next',
  params: { leaseSeconds: float8 },
  row: DUE_ROW,
  sql: `WITH due AS (
     SELECT o.id FROM notification_mail o JOIN user_account a ON a.uid = o.uid
     WHERE o.next_attempt_at <= now() AND a.email IS NOT NULL AND a.enabled
       AND (o.object_id IS NULL OR EXISTS (SELECT FROM notification n
         WHERE n.uid = o.uid AND n.app = '${NOTIFYING_APP}' AND n.object_type = o.object_type AND n.object_id = o.object_id))
     ORDER BY o.next_attempt_at, o.id LIMIT 1 FOR UPDATE OF o SKIP LOCKED
   ), taken AS (
     UPDATE notification_mail o SET attempts = o.attempts + 1, next_attempt_at = now() + :leaseSeconds * interval '1 second'
     FROM due WHERE o.id = due.id RETURNING o.*
   )
   SELECT t.id, t.attempts, t.subject, t.message, a.email AS address, a.display_name AS name FROM taken t JOIN user_account a ON a.uid = t.uid`,
});
const FORGET = statement({
  name: 'notification_mail.forget',
  params: { limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM notification_mail WHERE id = ANY (ARRAY(
     SELECT id FROM notification_mail WHERE created_at < now() - interval '3 days' ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});

/** Notifications that wait to be mailed. */
@Injectable()
export class NotificationMailRepository {
  constructor(private readonly database: Database) {}

  /** Takes the mail that is due longest. It becomes due again after `leaseSeconds` unless it is ended or postponed. */
  async takeNext(leaseSeconds: number): Promise<DueNotification | undefined> {
    return (await this.database.rows(TAKE_NEXT, { leaseSeconds }))[0];
  }

  /** Ends the mailing: it was sent, or will not be. The notification itself is shown after sign-in. */
  async end(id: number): Promise<void> {
    await this.database.write(NotificationMailEntity, (mails) => mails.delete({ id }));
  }

  /** Delays it for another attempt. */
  async postpone(id: number, delaySeconds: number): Promise<void> {
    await this.database.write(NotificationMailEntity, (mails) =>
      mails.update({ id }, { nextAttemptAt: fromNow(delaySeconds * 1000) }),
    );
  }

  /** Deletes at most `limit` rows that are older than three days. @returns how many */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}
