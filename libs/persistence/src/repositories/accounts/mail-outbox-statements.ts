import { statement } from '../../statement';
import { ALIVE } from '../shares/share-row';

/** A share of the sender's: $1 node, $2 type (whatever number a client sent), $3 recipient, $4 sender. */
const IN_QUESTION = `s.node_id = $1 AND s.share_type = $2::bigint AND s.share_type IN (0, 1) AND s.recipient_canonical = $3
  AND (s.initiator_uid = $4 OR s.owner_uid = $4) AND ${ALIVE}`;

export const QUEUE_SHARE_NOTICES = statement<{ found: boolean; unreachable: string[] | null }>(
  'mail_outbox.queue_share_notices',
  `WITH told AS (
     SELECT s.id, s.owner_uid, s.initiator_uid FROM share s WHERE ${IN_QUESTION}
   ), person AS (
     SELECT told.id AS share_id, a.uid, a.display_name, a.email
     FROM told JOIN user_account a ON a.uid IN (
       SELECT $3 WHERE $2 = 0 UNION ALL SELECT m.uid FROM group_member m WHERE $2 = 1 AND m.gid = $3
     )
     WHERE a.uid NOT IN (told.owner_uid, told.initiator_uid) AND a.uid <> $4
   ), queued AS (
     INSERT INTO mail_outbox (share_id, sender_uid, recipient_uid, address)
     SELECT DISTINCT ON (lower(email)) share_id, $4, uid, email FROM person WHERE email IS NOT NULL
     ORDER BY lower(email), uid
     ON CONFLICT (share_id, lower(address)) DO NOTHING
   )
   SELECT EXISTS (SELECT FROM told) AS found,
     (SELECT array_agg(display_name) FROM (
        SELECT display_name FROM person WHERE email IS NULL ORDER BY uid LIMIT $5
      ) AS silent) AS unreachable`,
);

export const QUEUE_LINK_NOTICES = statement<{ found: boolean }>(
  'mail_outbox.queue_link_notices',
  `WITH told AS (
     SELECT s.id FROM share s
     WHERE s.token_hmac = $1 AND s.share_type = 3 AND (s.initiator_uid = $2 OR s.owner_uid = $2) AND ${ALIVE}
   ), queued AS (
     INSERT INTO mail_outbox (share_id, sender_uid, address, note)
     SELECT DISTINCT ON (lower(address)) told.id, $2, address, $4 FROM told, unnest($3::text[]) AS address
     ON CONFLICT (share_id, lower(address)) DO UPDATE
       SET note = excluded.note, sender_uid = excluded.sender_uid, sent_at = NULL, attempts = 0, next_attempt_at = now()
       WHERE mail_outbox.sent_at IS NOT NULL
   )
   SELECT EXISTS (SELECT FROM told) AS found`,
);

export const MARK_SENT = statement(
  'mail_outbox.mark_sent',
  `UPDATE share s SET mail_sent = true WHERE ${IN_QUESTION} AND NOT s.mail_sent`,
);

export interface DueRow {
  readonly id: number;
  readonly attempts: number;
  readonly address: string;
  readonly note: string | null;
  readonly tokenEnc: Buffer | null;
  readonly nodeName: string;
  readonly expiresOn: string | null;
  readonly senderName: string;
  readonly senderAddress: string | null;
  readonly recipientName: string | null;
}

/** Mails of an expired share wait to be swept with it. */
export const TAKE_NEXT = statement<DueRow>(
  'mail_outbox.take_next',
  `WITH due AS (
     SELECT o.id FROM mail_outbox o JOIN share s ON s.id = o.share_id
     WHERE o.sent_at IS NULL AND o.next_attempt_at <= now() AND ${ALIVE}
     ORDER BY o.next_attempt_at, o.id LIMIT 1 FOR UPDATE OF o SKIP LOCKED
   ), taken AS (
     UPDATE mail_outbox o SET attempts = o.attempts + 1, next_attempt_at = now() + $1 * interval '1 second'
     FROM due WHERE o.id = due.id RETURNING o.*
   )
   SELECT t.id, t.attempts, t.address, t.note, s.token_enc AS "tokenEnc", n.name AS "nodeName", s.expires_on AS "expiresOn",
     sender.display_name AS "senderName", sender.email AS "senderAddress", recipient.display_name AS "recipientName"
   FROM taken t JOIN share s ON s.id = t.share_id JOIN node n ON n.id = s.node_id
   JOIN user_account sender ON sender.uid = t.sender_uid
   LEFT JOIN user_account recipient ON recipient.uid = t.recipient_uid`,
);

export const SENT = statement(
  'mail_outbox.sent',
  `WITH done AS (UPDATE mail_outbox SET sent_at = now(), note = NULL, last_error = NULL WHERE id = $1 RETURNING share_id)
   UPDATE share SET mail_sent = true WHERE id = (SELECT share_id FROM done) AND NOT mail_sent`,
);

export const POSTPONE = statement(
  'mail_outbox.postpone',
  `UPDATE mail_outbox SET next_attempt_at = now() + $2 * interval '1 second', last_error = $3 WHERE id = $1`,
);

export const GIVE_UP = statement(
  'mail_outbox.give_up',
  `WITH gone AS (DELETE FROM mail_outbox WHERE id = $1 AND sent_at IS NULL RETURNING id, sender_uid)
   INSERT INTO notification (uid, app, object_type, object_id, subject, message)
   SELECT sender_uid, 'files_sharing', 'mail', id::text, $2, $3 FROM gone ON CONFLICT DO NOTHING`,
);

export const DROP = statement('mail_outbox.drop', 'DELETE FROM mail_outbox WHERE id = $1');
