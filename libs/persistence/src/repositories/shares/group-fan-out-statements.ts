import { SHARE_TYPES } from '#sharing';
import {
  array,
  bool,
  bytea,
  date,
  filtered,
  int2,
  int4,
  int8,
  jsonText,
  nullable,
  text,
  textOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { FIRST_DELIVERY } from '../partners/partner-gate.repository';
import { STILL_PASSED_ON } from './passed-on-sql';
import { aliveAs } from './share-row';

export const NEXT = statement({
  name: 'group_fan_out.next',
  row: { shareId: int8 },
  sql: `SELECT d.share_id AS "shareId" FROM group_share_due d JOIN share s ON s.id = d.share_id
   ORDER BY d.due_at LIMIT 1 FOR NO KEY UPDATE OF s SKIP LOCKED`,
});

/** A share with a group, with the values for offers to its members at partners. */
export const GROUP_SHARE = {
  shareId: int8,
  gid: filtered(text),
  permissions: int2,
  /** Last day of its offers, which may be earlier than its own. */
  expiresOn: nullable(date),
  note: nullable(text),
  ownerUid: text,
  ownerName: text,
  initiatorUid: text,
  initiatorName: text,
  name: text,
  kind: textOf<'file' | 'folder'>(),
  /** Cloud id of the owner if the node lies on another server. */
  remoteOwner: nullable(text),
  isAlive: bool,
  /** Whether it gives access now; otherwise it may again later. */
  isPassedOn: bool,
  attributes: nullable(text),
};
export const LOCK_SHARE = statement({
  name: 'group_fan_out.lock_share',
  params: { shareId: int8 },
  row: GROUP_SHARE,
  sql: `SELECT l.id AS "shareId", l.recipient_canonical AS gid, l.permissions, least(l.expires_on, latest_remote_expiry()) AS "expiresOn", l.note, l.owner_uid AS "ownerUid",
     o.display_name AS "ownerName", l.initiator_uid AS "initiatorUid", i.display_name AS "initiatorName", top.name, top.kind,
     (SELECT r.owner FROM received_share r WHERE r.id = top.received_share_id) AS "remoteOwner",
     ${aliveAs('l')} AS "isAlive", ${STILL_PASSED_ON} AS "isPassedOn", l.attributes
   FROM share l JOIN node top ON top.id = l.node_id JOIN user_account o ON o.uid = l.owner_uid JOIN user_account i ON i.uid = l.initiator_uid
   WHERE l.id = :shareId AND l.share_type = ${SHARE_TYPES.group} AND l.recipient_canonical IS NOT NULL FOR NO KEY UPDATE OF l`,
});
export const TAKE = statement({
  name: 'group_fan_out.take',
  params: { shareId: int8 },
  row: { notifyAfter: nullable(int8), actor: nullable(text), origin: nullable(text) },
  sql: `DELETE FROM group_share_due WHERE share_id = :shareId
   RETURNING tell_after AS "notifyAfter", actor::text AS actor, actor ->> 'origin' AS origin`,
});
export const ACT_AS = statement({
  name: 'group_fan_out.act_as',
  params: { actor: text },
  sql: `SELECT set_config('drawbridge.acting', :actor, true)`,
});
export const AGAIN = statement({
  name: 'group_fan_out.again',
  params: { shareId: int8, notifyAfter: nullable(int8), actor: nullable(jsonText) },
  sql: 'INSERT INTO group_share_due (share_id, tell_after, actor) VALUES (:shareId, :notifyAfter, :actor)',
});

/** Whether the recipient `r` has the share for the membership `m`. A person who leaves the group and joins it again gets it anew. */
export const IS_FOR_MEMBERSHIP =
  'r.canonical = m.canonical AND coalesce(r.member_since, m.added_at) = m.added_at';
const IS_MEMBER = `EXISTS (SELECT FROM group_remote_member m WHERE m.gid = :gid AND ${IS_FOR_MEMBERSHIP})`;

export const END = statement({
  name: 'group_fan_out.end',
  params: { shareId: int8, gid: text, wanted: bool, limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = ANY (ARRAY(
     SELECT r.share_id FROM group_recipient r WHERE r.group_share_id = :shareId AND r.share_id IS NOT NULL AND (NOT :wanted OR NOT ${IS_MEMBER})
     ORDER BY r.share_id LIMIT :limit
   )) RETURNING id`,
});
/** Members whose share has ended, and who then left the group, get a new offer when they come back. */
export const FORGET_FORMER = statement({
  name: 'group_fan_out.forget_former',
  params: { shareId: int8, gid: text },
  sql: `DELETE FROM group_recipient r WHERE r.group_share_id = :shareId AND r.share_id IS NULL AND NOT ${IS_MEMBER}`,
});
export const TOUCH = statement({
  name: 'group_fan_out.touch',
  params: { shareId: int8, after: int8, limit: int8 },
  row: {
    id: int8,
    revision: int4,
    peer_id: filtered(int8),
    recipient: filtered(text),
    token_enc: filtered(bytea),
    expires_on: nullable(date),
    note: nullable(text),
    permissions: int2,
  },
  sql: `UPDATE share SET revision = revision + 1, delivery_state = CASE WHEN delivery_state IN ('delivered', 'not-sent') THEN 'pending' ELSE delivery_state END
   WHERE id = ANY (ARRAY(SELECT id FROM share WHERE group_share_id = :shareId AND id > :after AND delivery_state <> 'refused' AND peer_id IS NOT NULL
     ORDER BY id LIMIT :limit FOR NO KEY UPDATE))
   RETURNING id, revision, peer_id, recipient, token_enc, expires_on, note, permissions`,
});
export const MISSING = statement({
  name: 'group_fan_out.missing',
  params: { shareId: int8, gid: text, owner: nullable(text), limit: int8 },
  row: { canonical: text, cloudId: text, peerId: int8 },
  sql: `SELECT m.canonical, m.cloud_id AS "cloudId", coalesce(p.alias_of, p.id) AS "peerId" FROM group_remote_member m JOIN peer p ON p.id = m.peer_id
   WHERE m.gid = :gid AND m.canonical IS DISTINCT FROM :owner AND NOT EXISTS (SELECT FROM group_recipient r WHERE r.group_share_id = :shareId AND r.canonical = m.canonical)
   ORDER BY m.canonical LIMIT :limit`,
});
/** Writes shares, facts about their recipients, and offers at once. `offer` lacks the recipient, who differs in each offer. */
export const OFFER = statement({
  name: 'group_fan_out.offer',
  params: {
    shareId: int8,
    gid: text,
    canonicals: array(text),
    cloudIds: array(text),
    peerIds: array(int8),
    tokenHmacs: array(bytea),
    tokensEnc: array(bytea),
    expiresOn: nullable(date),
    kind: text,
    lifetimeMs: int8,
    offer: jsonText,
    origin: nullable(text),
  },
  sql: `WITH given AS MATERIALIZED (
     SELECT g.*, m.added_at FROM unnest(:canonicals::text[], :cloudIds::text[], :peerIds::bigint[], :tokenHmacs::bytea[], :tokensEnc::bytea[])
       AS g (canonical, cloud_id, peer_id, token_hmac, token_enc) JOIN group_remote_member m ON m.gid = :gid AND m.canonical = g.canonical
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, permissions, expires_on, attributes, note, token_hmac, token_enc, peer_id,
       delivery_state, delivery_next_attempt, acceptance, group_share_id)
     SELECT ${SHARE_TYPES.federated}, s.node_id, s.owner_uid, s.initiator_uid, g.cloud_id, s.permissions, :expiresOn::date, NULL, s.note, g.token_hmac, g.token_enc, p.id,
       ${FIRST_DELIVERY}, 'unknown', s.id
     FROM given g JOIN share s ON s.id = :shareId::bigint JOIN peer p ON p.id = g.peer_id JOIN peer host ON host.id = p.host_id
     RETURNING id, token_hmac, token_enc, peer_id, recipient
   ), known AS (
     INSERT INTO group_recipient (group_share_id, canonical, recipient, share_id, member_since)
     SELECT :shareId, g.canonical, g.cloud_id, made.id, g.added_at FROM made JOIN given g ON g.token_hmac = made.token_hmac
   )
   INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at, origin)
   SELECT 'share', made.id, made.peer_id, :kind, 0, :kind || ':share/' || made.id || ':0', :offer::jsonb || jsonb_build_object('shareWith', made.recipient),
     made.token_enc, now() + :lifetimeMs::bigint * interval '1 millisecond', :origin
   FROM made ORDER BY made.id`,
});
