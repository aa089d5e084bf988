import { PLACED_HERE } from '../shares/kind-sql';
import { SHARE_TYPES, STATE_NUMBERS } from '#sharing';
import { statement } from '../../statement';
import { ALIVE } from '../shares/share-row';
import { isWithOwner } from '../files/mount-sql';
import { array, bool, bytea, date, float8, int4, int8, nullable, text } from '../../postgres-types';

/** The sender's share with this node, type (any number that a client sent) and recipient. */
const IN_QUESTION = `s.node_id = :nodeId AND s.share_type = :shareType::bigint AND s.share_type IN ${PLACED_HERE} AND s.recipient_canonical = :recipient
  AND (s.initiator_uid = :senderUid OR s.owner_uid = :senderUid) AND ${ALIVE}`;

export const QUEUE_SHARE_NOTICES = statement({
  name: 'mail_outbox.queue_share_notices',
  params: { nodeId: int8, shareType: int8, recipient: text, senderUid: text, unreachableShown: int8 },
  row: { found: bool, unreachable: nullable(array(text)) },
  sql: `WITH announced AS (
     SELECT s.id, s.owner_uid, s.initiator_uid FROM share s WHERE ${IN_QUESTION}
   ), person AS (
     SELECT announced.id AS share_id, a.uid, a.display_name, a.email
     FROM announced JOIN user_account a ON a.uid IN (
       SELECT :recipient WHERE :shareType = 0 UNION ALL SELECT m.uid FROM group_member m WHERE :shareType = 1 AND m.gid = :recipient
     )
     WHERE a.uid NOT IN (announced.owner_uid, announced.initiator_uid) AND a.uid <> :senderUid
   ), queued AS (
     INSERT INTO mail_outbox (share_id, sender_uid, recipient_uid, address)
     SELECT DISTINCT ON (lower(email)) share_id, :senderUid, uid, email FROM person WHERE email IS NOT NULL
     ORDER BY lower(email), uid
     ON CONFLICT (share_id, lower(address)) DO NOTHING
   )
   SELECT EXISTS (SELECT FROM announced) AS found,
     (SELECT array_agg(display_name) FROM (
        SELECT display_name FROM person WHERE email IS NULL ORDER BY uid LIMIT :unreachableShown
      ) AS silent) AS unreachable`,
});

export const QUEUE_LINK_NOTICES = statement({
  name: 'mail_outbox.queue_link_notices',
  params: { shareTokenHmac: bytea, senderUid: text, addresses: array(text), note: nullable(text) },
  row: { found: bool },
  sql: `WITH announced AS (
     SELECT s.id FROM share s
     WHERE s.token_hmac = :shareTokenHmac AND s.share_type = ${SHARE_TYPES.link} AND (s.initiator_uid = :senderUid OR s.owner_uid = :senderUid) AND ${ALIVE}
   ), queued AS (
     INSERT INTO mail_outbox (share_id, sender_uid, address, note)
     SELECT DISTINCT ON (lower(address)) announced.id, :senderUid, address, :note FROM announced, unnest(:addresses::text[]) AS address
     ON CONFLICT (share_id, lower(address)) DO UPDATE
       SET note = excluded.note, sender_uid = excluded.sender_uid, sent_at = NULL, attempts = 0, next_attempt_at = now()
       WHERE mail_outbox.sent_at IS NOT NULL
   )
   SELECT EXISTS (SELECT FROM announced) AS found`,
});

export const MARK_SENT = statement({
  name: 'mail_outbox.mark_sent',
  params: { nodeId: int8, shareType: int8, recipient: text, senderUid: text },
  sql: `UPDATE share s SET mail_sent = true WHERE ${IN_QUESTION} AND NOT s.mail_sent`,
});

const DUE_ROW = {
  id: int8,
  isWanted: bool,
  attempts: int4,
  address: text,
  note: nullable(text),
  tokenEnc: nullable(bytea),
  nodeName: text,
  expiresOn: nullable(date),
  senderName: text,
  senderAddress: nullable(text),
  recipientName: nullable(text),
};

/** Whether the mail is for an address outside, or for an enabled account that has not declined the share and is its recipient or in its group. */
const IS_FOR_RECIPIENT = `(o.recipient_uid IS NULL OR EXISTS (
       SELECT FROM user_account a WHERE a.uid = o.recipient_uid AND a.enabled AND CASE s.share_type
         WHEN ${SHARE_TYPES.group} THEN EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = a.uid)
         ELSE a.uid = s.recipient_canonical END
         AND NOT EXISTS (SELECT FROM share_recipient r WHERE r.share_id = s.id AND r.uid = a.uid AND r.state = ${STATE_NUMBERS.declined})))`;

/**
 * Mails of an expired share, about content that a partner no longer shares, and to those who are no recipients, are not sent. They are set
 * aside, because the recipient and the content can come back, or are removed with the share.
 */
export const TAKE_NEXT = statement({
  name: 'mail_outbox.take_next',
  params: { leaseSeconds: float8, asideSeconds: float8 },
  row: DUE_ROW,
  sql: `WITH due AS (
     SELECT o.id, ${ALIVE} AND ${isWithOwner('n')} AND ${IS_FOR_RECIPIENT} AS "isWanted" FROM mail_outbox o JOIN share s ON s.id = o.share_id JOIN node n ON n.id = s.node_id
     WHERE o.sent_at IS NULL AND o.next_attempt_at <= now()
     ORDER BY o.next_attempt_at, o.id LIMIT 1 FOR UPDATE OF o SKIP LOCKED
   ), taken AS (
     UPDATE mail_outbox o SET attempts = o.attempts + due."isWanted"::integer,
       next_attempt_at = now() + CASE WHEN due."isWanted" THEN :leaseSeconds::float8 ELSE :asideSeconds::float8 END * interval '1 second'
     FROM due WHERE o.id = due.id RETURNING o.*, due."isWanted"
   )
   SELECT t.id, t."isWanted", t.attempts, t.address, t.note, s.token_enc AS "tokenEnc", n.name AS "nodeName", s.expires_on AS "expiresOn",
     sender.display_name AS "senderName", sender.email AS "senderAddress", recipient.display_name AS "recipientName"
   FROM taken t JOIN share s ON s.id = t.share_id JOIN node n ON n.id = s.node_id
   JOIN user_account sender ON sender.uid = t.sender_uid
   LEFT JOIN user_account recipient ON recipient.uid = t.recipient_uid`,
});

export const SENT = statement({
  name: 'mail_outbox.sent',
  params: { id: int8 },
  sql: `WITH done AS (UPDATE mail_outbox SET sent_at = now(), note = NULL, last_error = NULL WHERE id = :id RETURNING share_id)
   UPDATE share SET mail_sent = true WHERE id = (SELECT share_id FROM done) AND NOT mail_sent`,
});

export const GIVE_UP = statement({
  name: 'mail_outbox.give_up',
  params: { id: int8, subject: text, reason: text },
  sql: `WITH gone AS (DELETE FROM mail_outbox WHERE id = :id AND sent_at IS NULL RETURNING id, sender_uid)
   INSERT INTO notification (uid, app, object_type, object_id, subject, message)
   SELECT sender_uid, 'files_sharing', 'mail', id::text, :subject, :reason FROM gone ON CONFLICT DO NOTHING`,
});
