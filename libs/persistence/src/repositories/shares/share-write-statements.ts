import type { PeerProduct } from '#federation/protocol';
import { SHARE_TYPES } from '#sharing';
import { ONCE_PER_RECIPIENT } from './kind-sql';
import { ACTING, statement } from '../../statement';
import { allHeld, holdPeople } from './hold-people';
import { FIRST_DELIVERY } from '../partners/partner-gate.repository';
import { presentCanonical, storedCanonical } from '../partners/present-canonical';
import { ALIVE } from './share-row';
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

/** Parameters of a new federated share with its offer, for all kinds of makers. */
export const FEDERATED_SHARE = {
  nodeId: int8,
  ownerUid: text,
  initiatorUid: text,
  recipient: text,
  recipientCanonical: text,
  permissions: int2,
  expiresOn: nullable(date),
  attributes: nullable(text),
  note: nullable(text),
  tokenHmac: bytea,
  tokenEnc: bytea,
  kind: text,
  lifetimeMs: int8,
  offer: jsonText,
  hostKey: text,
  people: array(text),
  acting: text,
};

/** Partner with the address `hostKey`, and the recipient there; a renamed host leads to its new one. */
export const NAMED_PARTNER = `partner AS (
     SELECT present.id, ${presentCanonical(':recipientCanonical::text', 'present')} AS recipient_canonical
     FROM peer named JOIN peer present ON present.id = coalesce(named.alias_of, named.id) WHERE named.host_key = :hostKey::text
   )`;

/** A stored share with its message; without ids if nothing was stored. */
export const OFFERED_ROW = {
  id: nullable(int8),
  offer_id: nullable(int8),
  /** Whether the message waits because its partner gets none at the moment. */
  is_held: nullable(bool),
  /** Whether an account or a received share was removed in the meantime. */
  gone: bool,
  /** Whether no partner has this address yet. */
  is_new_partner: bool,
};

/**
 * Writes a share and its offer in one statement. Returns no id if the share already exists, is `gone`, or
 * is for a new partner. A removed node violates its foreign key.
 * `offer` lacks the names of its parties, which are read here; `linkId` is the public link from which it is made, or null.
 */
export const INSERT_FEDERATED = statement({
  name: 'share.insert_federated',
  params: {
    ...FEDERATED_SHARE,
    linkId: nullable(int8),
    isForGroup: bool,
  },
  row: OFFERED_ROW,
  sql: `WITH ${holdPeople(':people')}, ${NAMED_PARTNER}, checked AS (
     SELECT ${allHeld(':people')} AS there
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on, attributes, note,
       token_hmac, token_enc, peer_id, delivery_state, delivery_next_attempt, acceptance, link_id, recipient_is_group)
     SELECT 6, :nodeId::bigint, :ownerUid::text, :initiatorUid::text, :recipient::text, partner.recipient_canonical, :permissions::smallint, :expiresOn::date, :attributes::text, :note::text, :tokenHmac::bytea, :tokenEnc::bytea, p.id,
       ${FIRST_DELIVERY}, 'unknown', :linkId::bigint, :isForGroup::boolean
     FROM checked, partner JOIN peer p ON p.id = partner.id JOIN peer host ON host.id = p.host_id WHERE there AND ${ACTING}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, delivery_state = 'retrying' AS is_held
   ), offer AS (
     INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
     SELECT 'share', made.id, partner.id, :kind, 0, :kind || ':share/' || made.id || ':0', :offer::jsonb || jsonb_build_object(
         'owner', jsonb_build_object('uid', owner.uid, 'displayName', owner.display_name),
         'sender', jsonb_build_object('uid', sender.uid, 'displayName', sender.display_name)),
       :tokenEnc, now() + :lifetimeMs::bigint * interval '1 millisecond'
     FROM made, partner, user_account owner, user_account sender WHERE owner.uid = :ownerUid AND sender.uid = :initiatorUid
     RETURNING subject_id, id
   )
   SELECT offer.subject_id AS id, offer.id AS offer_id, made.is_held, NOT checked.there AS gone, NOT EXISTS (SELECT FROM partner) AS is_new_partner
   FROM checked LEFT JOIN offer ON true LEFT JOIN made ON true`,
});

/** A federated share, with the values for messages about its change. */
const TOUCHED_SHARE_ROW = {
  revision: int4,
  peer_id: filtered(int8),
  recipient: filtered(text),
  token_enc: filtered(bytea),
  expires_on: nullable(date),
  note: nullable(text),
  /** Its id and sealed secret at the owner's server, if that server made it. */
  granted_id: nullable(text),
  granted_token_enc: nullable(bytea),
  /** The partner that requested it, and its id there. */
  requester_peer_id: nullable(int8),
  requester_share_id: nullable(text),
};
/**
 * Writes the message about a change to the partner of a federated share; none for other shares. A server that was asked to make
 * the share and has not answered yet gets the message after its answer.
 */
export const TOUCH_FEDERATED = statement({
  name: 'share.touch_federated',
  params: { shareId: int8 },
  row: TOUCHED_SHARE_ROW,
  sql: `UPDATE share SET revision = revision + 1, delivery_state = CASE WHEN delivery_state IN ('delivered', 'not-sent') THEN 'pending' ELSE delivery_state END
   WHERE id = :shareId AND share_type = ${SHARE_TYPES.federated} AND peer_id IS NOT NULL
     AND delivery_state <> 'refused' AND via_owner IS DISTINCT FROM 'asked'
   RETURNING revision, peer_id, recipient, token_enc, expires_on, note, granted_id, granted_token_enc, requester_peer_id, requester_share_id`,
});

/** Offers that were not delivered yet are made of the shares as they are now: most servers get no message about a later change. */
export const RENEW_OFFERS = statement({
  name: 'share.renew_offers',
  params: { shareIds: array(int8) },
  sql: `UPDATE outbox_message m SET payload = m.payload || jsonb_build_object('permissions', s.permissions, 'expiresOn', s.expires_on, 'note', s.note)
   FROM share s WHERE s.id = ANY(:shareIds::bigint[]) AND m.subject_type = 'share' AND m.subject_id = s.id AND m.kind = 'share-create'
     AND m.state IN ('pending', 'queued', 'dead', 'refused', 'cancelled')`,
});

/** Product of the recipient's server; null if it is not known. */
export const RECIPIENT_PRODUCT = statement({
  name: 'share.recipient_product',
  params: { shareId: int8 },
  row: { product: nullable(textOf<PeerProduct>()) },
  sql: `SELECT coalesce(p.pinned_profile, p.profile) ->> 'product' AS product FROM share s JOIN peer p ON p.id = s.peer_id WHERE s.id = :shareId`,
});

export const REMOVE_EXPIRED_TWIN = statement({
  name: 'share.remove_expired_twin',
  params: { nodeId: int8, type: int2, recipient: text },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE node_id = :nodeId AND share_type = :type AND expires_on < current_date AND recipient_canonical =
     CASE WHEN :type::smallint = ${SHARE_TYPES.federated} THEN ${storedCanonical(':recipient::text')} ELSE :recipient::text END RETURNING id`,
});

export const UPDATE = statement({
  name: 'share.update',
  params: {
    id: int8,
    permissions: nullable(int2),
    setsExpiresOn: bool,
    expiresOn: nullable(date),
    setsAttributes: bool,
    attributes: nullable(text),
    setsNote: bool,
    note: nullable(text),
    setsName: bool,
    name: nullable(text),
    setsPasswordHash: bool,
    passwordHash: nullable(text),
    acting: text,
  },
  sql: `UPDATE share SET permissions = COALESCE(:permissions, permissions),
     expires_on = CASE WHEN :setsExpiresOn THEN :expiresOn::date ELSE expires_on END,
     attributes = CASE WHEN :setsAttributes THEN :attributes ELSE attributes END,
     note = CASE WHEN :setsNote THEN :note ELSE note END,
     name = CASE WHEN :setsName THEN :name ELSE name END,
     password_hash = CASE WHEN :setsPasswordHash THEN :passwordHash ELSE password_hash END
   WHERE id = :id AND ${ACTING}`,
});

export const REMOVE = statement({
  name: 'share.remove',
  params: { id: int8, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM share s WHERE s.id = :id AND ${ALIVE} AND ${ACTING} RETURNING s.id`,
});

/** Removes a share that the user made, or that is of their files. The part of one member in a share with a group stays. */
export const REMOVE_MANAGED = statement({
  name: 'share.remove_managed',
  params: { id: int8, uid: text, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM share s WHERE s.id = :id AND s.group_share_id IS NULL AND ${ALIVE} AND (s.initiator_uid = :uid OR s.owner_uid = :uid) AND ${ACTING} RETURNING s.id`,
});

export const REMOVE_EXPIRED = statement({
  name: 'share.remove_expired',
  params: { limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = ANY (ARRAY(
     SELECT id FROM share WHERE expires_on < current_date ORDER BY expires_on LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});
