import { ONCE_PER_RECIPIENT } from './kind-sql';
import { ACTING, statement } from '../../statement';
import { FIRST_DELIVERY } from '../partners/partner-gate.repository';
import { allHeld, holdPeople } from './hold-people';
import { FEDERATED_SHARE, NAMED_PARTNER, OFFERED_ROW } from './share-write-statements';
import { bool, bytea, date, filtered, int2, int4, int8, nullable, text } from '../../postgres-types';
import { MOUNTED } from '../../received-states';

/** Origin of a node that lies at a partner. */
const SOURCE_ROW = {
  received_share_id: filtered(int8),
  owner: text,
  is_root: bool,
  needs_second_factor: bool,
};

export const SOURCE_OF = statement({
  name: 'reshare.source_of',
  params: { nodeId: int8 },
  row: SOURCE_ROW,
  sql: `SELECT n.received_share_id, r.owner, n.parent_id IS NULL AS is_root,
     coalesce(r.access -> 'requirements' ? 'must-use-mfa', false) AS needs_second_factor
   FROM node n JOIN received_share r ON r.id = n.received_share_id WHERE n.id = :nodeId`,
});

/**
 * Writes a share and the request to the owner's server in one statement. Returns no id if the share already exists, is `gone`,
 * or is for a new partner.
 * `offer` is used if that server cannot make the share, and lacks the names of its parties; `hostKey` is the address of the partner
 * that would get it.
 */
export const INSERT_RESHARE = statement({
  name: 'reshare.insert',
  params: {
    ...FEDERATED_SHARE,
    receivedShareId: int8,
  },
  row: OFFERED_ROW,
  sql: `WITH ${holdPeople(':people')}, ${NAMED_PARTNER}, source AS (
     SELECT id, peer_id, provider_id, token_enc, owner, permissions FROM received_share
     WHERE id = :receivedShareId AND state IN ${MOUNTED} FOR SHARE
   ), checked AS (
     SELECT ${allHeld(':people')} AND EXISTS (SELECT FROM source) AS there
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on, attributes, note,
       token_hmac, token_enc, peer_id, delivery_state, delivery_next_attempt, acceptance, via_owner,
       remote_owner, received_share_id)
     SELECT 6, :nodeId::bigint, :ownerUid::text, :initiatorUid::text, :recipient::text, partner.recipient_canonical, :permissions::smallint, :expiresOn::date, :attributes::text, :note::text, :tokenHmac::bytea, :tokenEnc::bytea, source.peer_id,
       ${FIRST_DELIVERY}, 'unknown', 'asked', source.owner, source.id
     FROM checked, partner, source JOIN peer p ON p.id = source.peer_id JOIN peer host ON host.id = p.host_id WHERE there AND ${ACTING}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, delivery_state = 'retrying' AS is_held
   ), asked AS (
     INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
     SELECT 'share', made.id, source.peer_id, :kind, 0, :kind || ':share/' || made.id || ':0',
       jsonb_build_object('providerId', source.provider_id, 'grantee', NULL, 'permissions', :permissions::smallint, 'shareWith', :recipient::text,
         'receivedPermissions', source.permissions, 'instead', jsonb_build_object('peerId', partner.id, 'offer',
           :offer::jsonb || jsonb_build_object(
             'owner', jsonb_build_object('uid', owner.uid, 'displayName', owner.display_name),
             'sender', jsonb_build_object('uid', sender.uid, 'displayName', sender.display_name)))),
       source.token_enc, now() + :lifetimeMs::bigint * interval '1 millisecond'
     FROM made, partner, source, user_account owner, user_account sender WHERE owner.uid = :ownerUid AND sender.uid = :initiatorUid
     RETURNING subject_id, id
   )
   SELECT asked.subject_id AS id, asked.id AS offer_id, made.is_held, NOT checked.there AS gone, NOT EXISTS (SELECT FROM partner) AS is_new_partner
   FROM checked LEFT JOIN asked ON true LEFT JOIN made ON true`,
});

/**
 * Notes that the owner's server made the share. Returns no row if ours has ended. `recipientPeerId` is the recipient's
 * server if we have to tell it about the end.
 */
export const GRANT = statement({
  name: 'reshare.grant',
  params: {
    id: int8,
    providerId: text,
    sealedSecret: bytea,
    secretHmac: bytea,
    recipientPeerId: nullable(int8),
  },
  row: { revision: int4, peer_id: filtered(int8), recipient: filtered(text), permissions: int2 },
  sql: `UPDATE share SET via_owner = 'granted', granted_id = :providerId, granted_token_enc = :sealedSecret, granted_token_hmac = :secretHmac, recipient_peer_id = :recipientPeerId
   WHERE id = :id AND via_owner = 'asked' RETURNING revision, peer_id, recipient, permissions`,
});

/** Makes the share from here. The partner may have been renamed since the request. Returns no row if the share has ended. */
export const GIVE_INSTEAD = statement({
  name: 'reshare.give_instead',
  params: { id: int8, peerId: int8 },
  row: {
    revision: int4,
    peer_id: filtered(int8),
    permissions: int2,
    expires_on: nullable(date),
    note: nullable(text),
    token_enc: filtered(bytea),
  },
  sql: `UPDATE share SET via_owner = NULL, remote_owner = NULL, received_share_id = NULL, revision = revision + 1,
     peer_id = (SELECT coalesce(alias_of, id) FROM peer WHERE id = :peerId),
     delivery_state = 'pending', delivery_attempts = 0, delivery_next_attempt = NULL, delivery_error = NULL
   WHERE id = :id AND via_owner = 'asked' RETURNING revision, peer_id, permissions, expires_on, note, token_enc`,
});

/** Redirects callers that wait for the result of a request to that of the offer. */
export const POINT_TO_OFFER = statement({
  name: 'reshare.point_to_offer',
  params: { messageId: int8, offerId: nullable(int8) },
  sql: `UPDATE outbox_message SET reply = jsonb_build_object('offerId', :offerId::bigint) WHERE id = :messageId`,
});
