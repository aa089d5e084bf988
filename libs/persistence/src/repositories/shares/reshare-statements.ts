import { ONCE_PER_RECIPIENT } from './kind-sql';
import { decision, statement } from '../../statement';
import { FIRST_DELIVERY } from '../partners/partner-gate.repository';
import { allHeld, holdPeople } from './share-statements';

/** Where a node comes from that lies with a partner. */
export interface SourceRow {
  readonly received_share_id: number;
  readonly owner: string;
  readonly is_root: boolean;
}

export const SOURCE_OF = statement<SourceRow>(
  'reshare.source_of',
  `SELECT n.received_share_id, r.owner, n.parent_id IS NULL AS is_root
   FROM node n JOIN received_share r ON r.id = n.received_share_id WHERE n.id = $1`,
);

/**
 * Share and request to the server of the node's owner in one statement. A share that is there already makes it return
 * no id; so does, with `gone`, an account or a received share that vanished meanwhile.
 * $10 kind, $11 deadline in milliseconds, $12 what we offer if that server cannot make the share, without the names of
 * its parties, $13 the partner that this would go to, $15 the received share.
 */
export const INSERT_RESHARE = decision<{ id: number | null; offer_id: number | null; gone: boolean }>(
  'reshare.insert',
  (acting) => `WITH ${holdPeople('$14')}, source AS (
     SELECT id, peer_id, provider_id, token_enc, owner, permissions FROM received_share
     WHERE id = $15 AND state IN ('accepted', 'quarantined') FOR SHARE
   ), checked AS (
     SELECT ${allHeld('$14')} AND EXISTS (SELECT FROM source) AS there
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on,
       token_hmac, token_enc, peer_id, delivery_state, delivery_next_attempt, acceptance, via_owner,
       remote_owner, received_share_id)
     SELECT 6, $1::bigint, $2::text, $3::text, $4::text, $5::text, $6::smallint, $7::date, $8::bytea, $9::bytea, source.peer_id,
       ${FIRST_DELIVERY}, 'unknown', 'asked', source.owner, source.id
     FROM checked, source JOIN peer p ON p.id = source.peer_id JOIN peer host ON host.id = p.host_id WHERE there AND ${acting}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id
   ), asked AS (
     INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
     SELECT 'share', made.id, source.peer_id, $10, 0, $10 || ':share/' || made.id || ':0',
       jsonb_build_object('providerId', source.provider_id, 'grantee', NULL, 'permissions', $6::smallint, 'shareWith', $4::text,
         'receivedPermissions', source.permissions, 'instead', jsonb_build_object('peerId', $13::bigint, 'offer',
           $12::jsonb || jsonb_build_object(
             'owner', jsonb_build_object('uid', owner.uid, 'displayName', owner.display_name),
             'sender', jsonb_build_object('uid', sender.uid, 'displayName', sender.display_name)))),
       source.token_enc, now() + $11::bigint * interval '1 millisecond'
     FROM made, source, user_account owner, user_account sender WHERE owner.uid = $2 AND sender.uid = $3
     RETURNING subject_id, id
   )
   SELECT asked.subject_id AS id, asked.id AS offer_id, NOT checked.there AS gone FROM checked LEFT JOIN asked ON true`,
);

/** The owner's server made the share. Nothing comes back where ours ended meanwhile. $5 the recipient's server, where we tell it of the end. */
export const GRANT = statement<{ revision: number; peer_id: number; recipient: string; permissions: number }>(
  'reshare.grant',
  `UPDATE share SET via_owner = 'granted', granted_id = $2, granted_token_enc = $3, granted_token_hmac = $4, recipient_peer_id = $5
   WHERE id = $1 AND via_owner = 'asked' RETURNING revision, peer_id, recipient, permissions`,
);

/** The share is given from here. Nothing comes back where it ended meanwhile. */
export const GIVE_INSTEAD = statement<{ revision: number; permissions: number; token_enc: Buffer }>(
  'reshare.give_instead',
  `UPDATE share SET via_owner = NULL, remote_owner = NULL, received_share_id = NULL, peer_id = $2, revision = revision + 1,
     delivery_state = 'pending', delivery_attempts = 0, delivery_next_attempt = NULL, delivery_error = NULL
   WHERE id = $1 AND via_owner = 'asked' RETURNING revision, permissions, token_enc`,
);

/** Lets whoever waits for the verdict on a request wait for that on the offer. */
export const POINT_TO_OFFER = statement(
  'reshare.point_to_offer',
  `UPDATE outbox_message SET reply = jsonb_build_object('offerId', $2::bigint) WHERE id = $1`,
);
