import type { NotificationText } from '#sharing';
import type { Queryable } from '../../database';
import { array, text } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP } from './notified-objects';

/** A notification of one person, who can get it by mail, too. */
export interface Notice {
  readonly uid: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly text: NotificationText;
}

/** Of several notifications about one object, the last one stays. Mails go to people who have an address and did not turn them off. */
const NOTIFY = statement({
  name: 'notices.notify',
  params: {
    uids: array(text),
    objectTypes: array(text),
    objectIds: array(text),
    subjects: array(text),
    messages: array(text),
  },
  sql: `WITH announced AS (
     SELECT t.* FROM unnest(:uids::text[], :objectTypes::text[], :objectIds::text[], :subjects::text[], :messages::text[])
       AS t(uid, object_type, object_id, subject, message)
     JOIN user_account a ON a.uid = t.uid
   ), mailed AS (
     INSERT INTO notification_mail (uid, object_type, object_id, subject, message)
     SELECT announced.uid, announced.object_type, announced.object_id, left(announced.subject, 2000), left(announced.message, 4000) FROM announced JOIN user_account a ON a.uid = announced.uid
     WHERE a.email IS NOT NULL AND a.enabled AND NOT EXISTS (
       SELECT FROM user_preference p WHERE p.uid = announced.uid AND p.app = 'notifications' AND p.key = 'email_sending_option' AND p.value = 'never')
   )
   INSERT INTO notification (uid, app, object_type, object_id, subject, message)
   SELECT uid, '${NOTIFYING_APP}', object_type, object_id, subject, message FROM announced
   ON CONFLICT (uid, app, object_type, object_id) DO UPDATE
     SET subject = excluded.subject, message = excluded.message, created_at = now()`,
});

/** Notifies people in the transaction of the change, with one statement for all of them. */
export async function notify(transaction: Queryable, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  await transaction.rows(NOTIFY, {
    uids: notices.map(({ uid }) => uid),
    objectTypes: notices.map(({ objectType }) => objectType),
    objectIds: notices.map(({ objectId }) => objectId),
    subjects: notices.map(({ text: { subject } }) => subject),
    messages: notices.map(({ text: { message } }) => message),
  });
}
