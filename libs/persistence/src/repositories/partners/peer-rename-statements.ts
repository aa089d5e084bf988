import { SHARE_TYPES } from '#sharing';
import { decision, statement } from '../../statement';
import type { MountedShareRow } from '../files/remote-share-statements';

/** Rows that a rename moves; and the received shares that stay behind, since the new host offered the same ones itself. */
export interface RenamePlan {
  readonly shares: number;
  readonly receivedShares: number;
  readonly messages: number;
  readonly staying: number;
}

/** A received share as it will be reached at the new host. */
export type MovedShareRow = Pick<
  MountedShareRow,
  'receivedShareId' | 'hostKey' | 'peerId' | 'dialect' | 'providerId' | 'name' | 'access' | 'sealedSecret'
>;

/** Cloud ids that end in the old host (`$n`, a pattern) with the new one in its place (`$m`, with its `@`). */
const moved = (column: string, pattern: string, place: string): string =>
  `regexp_replace(${column}, ${pattern}, ${place}, 'i')`;

const movedAccess = (pattern: string, baseUrl: string): string =>
  `CASE WHEN r.access ->> 'webdavUri' ~* ${pattern} THEN jsonb_set(r.access, '{webdavUri}',
     to_jsonb(${moved(`r.access ->> 'webdavUri'`, pattern, baseUrl)})) ELSE r.access END`;

/** The new host may have offered the same share already; then that one stays what it is, and this one too. */
const IS_THERE_ALREADY = `EXISTS (SELECT FROM received_share o WHERE o.peer_id = $2 AND o.provider_id = r.provider_id
  AND o.token_hmac = r.token_hmac AND o.recipient_uid = r.recipient_uid)`;

/** A finished message keeps the name under which it ended. */
const IS_OPEN = `m.state NOT IN ('delivered', 'not-sent', 'superseded')`;

/** $1 the old host's partner, $2 the new one's, $3 pattern of cloud ids. */
const CONCERNED_SHARES = `s.share_type = ${SHARE_TYPES.federated} AND (s.peer_id = $1 OR s.requester_peer_id = $1 OR s.recipient_peer_id = $1 OR s.recipient ~* $3 OR s.remote_owner ~* $3)`;
const CONCERNED_MESSAGES = `${IS_OPEN} AND (m.peer_id = $1 OR m.payload ->> 'shareWith' ~* $3 OR m.payload ->> 'grantee' ~* $3)`;

export const PLAN = statement<RenamePlan>(
  'peer_rename.plan',
  `SELECT (SELECT count(*)::int FROM share s WHERE ${CONCERNED_SHARES}) AS shares,
     (SELECT count(*)::int FROM received_share r WHERE r.peer_id = $1 AND NOT ${IS_THERE_ALREADY}) AS "receivedShares",
     (SELECT count(*)::int FROM outbox_message m WHERE ${CONCERNED_MESSAGES}) AS messages,
     (SELECT count(*)::int FROM received_share r WHERE r.peer_id = $1 AND ${IS_THERE_ALREADY}) AS staying`,
);

/** Under this very name, whatever it is an alias of. */
export const FIND = statement<{ id: number; aliasOf: number | null }>(
  'peer_rename.find',
  'SELECT id, alias_of AS "aliasOf" FROM peer WHERE host_key = $1',
);
export const ENTER = statement(
  'peer_rename.enter',
  'INSERT INTO peer (host_key) VALUES ($1) ON CONFLICT (host_key) DO NOTHING',
);
export const LOCK = statement(
  'peer_rename.lock',
  'SELECT id FROM peer WHERE id IN ($1, $2) ORDER BY id FOR UPDATE',
);

/** $3 pattern of addresses, $4 the new one's. The latest seen come first. */
export const SAMPLES = statement<MovedShareRow>(
  'peer_rename.samples',
  `SELECT r.id AS "receivedShareId", p.host_key AS "hostKey", p.id AS "peerId", r.dialect, r.provider_id AS "providerId", r.name,
     ${movedAccess('$3', '$4')} AS access, r.token_enc AS "sealedSecret"
   FROM received_share r JOIN peer p ON p.id = $2
   WHERE r.peer_id = $1 AND r.state IN ('accepted', 'quarantined') AND (r.expires_at IS NULL OR r.expires_at > now())
   ORDER BY r.last_seen_at DESC NULLS LAST, r.id LIMIT $5`,
);

/** $4 the new place of cloud ids, $5 and $6 old and new end of canonical ones. A recipient has a node once only. */
export const MOVE_SHARES = statement<{ id: number }>(
  'peer_rename.move_shares',
  `UPDATE share s SET
     peer_id = CASE s.peer_id WHEN $1 THEN $2 ELSE s.peer_id END,
     requester_peer_id = CASE s.requester_peer_id WHEN $1 THEN $2 ELSE s.requester_peer_id END,
     recipient_peer_id = CASE s.recipient_peer_id WHEN $1 THEN $2 ELSE s.recipient_peer_id END,
     recipient = ${moved('s.recipient', '$3', '$4')},
     remote_owner = ${moved('s.remote_owner', '$3', '$4')},
     recipient_canonical = CASE WHEN right(s.recipient_canonical, length($5)) <> $5 THEN s.recipient_canonical
       WHEN EXISTS (SELECT FROM share o WHERE o.node_id = s.node_id AND o.share_type = ${SHARE_TYPES.federated}
         AND o.recipient_canonical = left(s.recipient_canonical, -length($5)) || $6) THEN NULL
       ELSE left(s.recipient_canonical, -length($5)) || $6 END
   WHERE ${CONCERNED_SHARES} RETURNING s.id`,
);

/** Access tokens were the old host's. $3 and $4 as above, $5 pattern of addresses, $6 the new one's. */
export const MOVE_RECEIVED = statement<{ id: number }>(
  'peer_rename.move_received',
  `UPDATE received_share r SET peer_id = $2, owner = ${moved('r.owner', '$3', '$4')}, sender = ${moved('r.sender', '$3', '$4')},
     access = ${movedAccess('$5', '$6')}, access_token_enc = NULL, access_token_expires_at = NULL,
     look_at = CASE WHEN r.look_at IS NOT NULL THEN now() END
   WHERE r.peer_id = $1 AND NOT ${IS_THERE_ALREADY} RETURNING r.id`,
);
export const MOVE_SENDERS = statement(
  'peer_rename.move_senders',
  `UPDATE received_share r SET sender = ${moved('r.sender', '$1', '$2')} WHERE r.sender ~* $1`,
);

export const MOVE_MESSAGES = statement<{ id: number }>(
  'peer_rename.move_messages',
  `UPDATE outbox_message m SET peer_id = CASE m.peer_id WHEN $1 THEN $2 ELSE m.peer_id END,
     available_at = CASE WHEN m.peer_id = $1 AND m.state = 'pending' THEN now() ELSE m.available_at END,
     payload = coalesce((SELECT jsonb_object_agg(key, CASE WHEN key IN ('shareWith', 'grantee') AND jsonb_typeof(value) = 'string'
       THEN to_jsonb(${moved(`value #>> '{}'`, '$3', '$4')}) ELSE value END) FROM jsonb_each(m.payload)), '{}')
   WHERE ${CONCERNED_MESSAGES} RETURNING m.id`,
);

/** Decisions about the old host count for the new one where there is none about that. */
export const HAND_ON_TRUST = decision(
  'peer_rename.hand_on_trust',
  (acting) => `UPDATE peer n SET trust = CASE n.trust WHEN 'unknown' THEN o.trust ELSE n.trust END,
     outgoing_trust = coalesce(n.outgoing_trust, o.outgoing_trust)
   FROM peer old JOIN peer o ON o.id = old.host_id, peer next
   WHERE old.id = $1 AND next.id = $2 AND n.id = next.host_id AND n.id <> o.id AND ${acting}`,
);
/** Older names of the old host lead to the new one too. */
export const POINT_TO = decision(
  'peer_rename.point_to',
  (acting) => `UPDATE peer p SET alias_of = CASE p.id WHEN $2 THEN NULL ELSE $2 END
   WHERE (p.id IN ($1, $2) OR p.alias_of = $1) AND ${acting}`,
);
export const WAKE_RELAYS = statement(
  'peer_rename.wake_relays',
  `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
);
