import { SHARE_TYPES } from '#sharing';
import { ACTING, statement } from '../../statement';
import type { MountedShareRow } from '../files/remote-share-statements';
import { bytea, int4, int8, jsonb, nullable, type RowOf, text } from '../../postgres-types';
import { MOUNTED } from '../../received-states';

/** Numbers of rows that a rename moves, and of received shares that stay because the new host offered the same ones itself. */
const RENAME_PLAN = {
  shares: int4,
  receivedShares: int4,
  messages: int4,
  /** Members of groups on this instance. */
  members: int4,
  staying: int4,
};
export type RenamePlan = RowOf<typeof RENAME_PLAN>;

/** A received share, with the values for the new host. */
export type MovedShareRow = Pick<
  MountedShareRow,
  'receivedShareId' | 'hostKey' | 'peerId' | 'dialect' | 'providerId' | 'name' | 'access' | 'sealedSecret'
>;

/** Replaces the old host at the end of cloud ids (`$n`, a pattern) by the new one (`$m`, with its `@`). */
const moved = (column: string, pattern: string, place: string): string =>
  `regexp_replace(${column}, ${pattern}, ${place}, 'i')`;

/** Places of addresses in a received share's access. */
const ADDRESSES = ['{webdavUri}', '{webapp,uri}'];

const movedAccess = (pattern: string, baseUrl: string): string =>
  ADDRESSES.reduce((access, place) => {
    const address = `r.access #>> '${place}'`;
    const set = `jsonb_set(${access}, '${place}', to_jsonb(${moved(address, pattern, baseUrl)}))`;
    return `CASE WHEN ${address} ~* ${pattern} THEN ${set} ELSE ${access} END`;
  }, 'r.access');

/** The new host may have offered the same share already. Then both rows stay as they are, with their messages and waiting files. */
const STAYS = `r.peer_id = :fromId AND EXISTS (SELECT FROM received_share o WHERE o.peer_id = :toId AND o.provider_id = r.provider_id
  AND o.token_hmac = r.token_hmac AND o.recipient_uid = r.recipient_uid)`;
const MOVES = `r.peer_id = :fromId AND NOT (${STAYS})`;
const isOfStaying = (id: string): string =>
  `EXISTS (SELECT FROM received_share r WHERE r.id = ${id} AND ${STAYS})`;

/** A finished message keeps the host under which it ended. */
const IS_OPEN = `m.state NOT IN ('delivered', 'not-sent', 'superseded')`;

/** Shares of the old host's partner, or with cloud ids of that host. */
const CONCERNED_SHARES = `s.share_type = ${SHARE_TYPES.federated} AND (s.peer_id = :fromId OR s.requester_peer_id = :fromId OR s.recipient_peer_id = :fromId OR s.recipient ~* :idPattern OR s.remote_owner ~* :idPattern)`;
const CONCERNED_MESSAGES = `${IS_OPEN} AND (m.peer_id = :fromId OR m.payload ->> 'shareWith' ~* :idPattern OR m.payload ->> 'grantee' ~* :idPattern)
  AND NOT (m.subject_type = 'received-share' AND ${isOfStaying('m.subject_id')})`;

export const PLAN = statement({
  name: 'peer_rename.plan',
  params: { fromId: nullable(int8), toId: nullable(int8), idPattern: nullable(text) },
  row: RENAME_PLAN,
  sql: `SELECT (SELECT count(*)::int FROM share s WHERE ${CONCERNED_SHARES}) AS shares,
     (SELECT count(*)::int FROM received_share r WHERE ${MOVES}) AS "receivedShares",
     (SELECT count(*)::int FROM outbox_message m WHERE ${CONCERNED_MESSAGES}) AS messages,
     (SELECT count(*)::int FROM group_remote_member g WHERE g.peer_id = :fromId) AS members,
     (SELECT count(*)::int FROM received_share r WHERE ${STAYS}) AS staying`,
});

/** Finds exactly this name, whether or not it is an alias. */
export const FIND = statement({
  name: 'peer_rename.find',
  params: { hostKey: text },
  row: { id: int8, aliasOf: nullable(int8) },
  sql: 'SELECT id, alias_of AS "aliasOf" FROM peer WHERE host_key = :hostKey',
});
export const ENTER = statement({
  name: 'peer_rename.enter',
  params: { to: text },
  sql: 'INSERT INTO peer (host_key) VALUES (:to) ON CONFLICT (host_key) DO NOTHING',
});
export const LOCK = statement({
  name: 'peer_rename.lock',
  params: { fromId: int8, toId: int8 },
  sql: 'SELECT id FROM peer WHERE id IN (:fromId, :toId) ORDER BY id FOR UPDATE',
});

/** Shares with files; recently seen ones come first. */
export const SAMPLES = statement({
  name: 'peer_rename.samples',
  params: { fromId: int8, toId: int8, addressPattern: text, baseUrl: text, limit: int8 },
  row: {
    receivedShareId: int8,
    hostKey: text,
    peerId: int8,
    dialect: text,
    providerId: text,
    name: text,
    access: jsonb<Readonly<Record<string, unknown>>>(),
    sealedSecret: bytea,
  },
  sql: `SELECT r.id AS "receivedShareId", p.host_key AS "hostKey", p.id AS "peerId", r.dialect, r.provider_id AS "providerId", r.name,
     ${movedAccess(':addressPattern', ':baseUrl')} AS access, r.token_enc AS "sealedSecret"
   FROM received_share r JOIN peer p ON p.id = :toId
   WHERE r.peer_id = :fromId AND r.state IN ${MOUNTED} AND r.file_target IS NOT NULL AND (r.expires_at IS NULL OR r.expires_at > now())
   ORDER BY r.last_seen_at DESC NULLS LAST, r.id LIMIT :limit`,
});

/** If a recipient would have a node twice, one of the shares loses its canonical cloud id. */
export const MOVE_SHARES = statement({
  name: 'peer_rename.move_shares',
  params: {
    fromId: int8,
    toId: int8,
    idPattern: text,
    newHost: text,
    canonicalFrom: text,
    canonicalTo: text,
  },
  row: { id: int8 },
  sql: `UPDATE share s SET
     peer_id = CASE s.peer_id WHEN :fromId THEN :toId ELSE s.peer_id END,
     requester_peer_id = CASE s.requester_peer_id WHEN :fromId THEN :toId ELSE s.requester_peer_id END,
     recipient_peer_id = CASE s.recipient_peer_id WHEN :fromId THEN :toId ELSE s.recipient_peer_id END,
     recipient = ${moved('s.recipient', ':idPattern', ':newHost')},
     remote_owner = ${moved('s.remote_owner', ':idPattern', ':newHost')},
     recipient_canonical = CASE WHEN right(s.recipient_canonical, length(:canonicalFrom)) <> :canonicalFrom THEN s.recipient_canonical
       WHEN EXISTS (SELECT FROM share o WHERE o.node_id = s.node_id AND o.share_type = ${SHARE_TYPES.federated}
         AND o.recipient_canonical = left(s.recipient_canonical, -length(:canonicalFrom)) || :canonicalTo) THEN NULL
       ELSE left(s.recipient_canonical, -length(:canonicalFrom)) || :canonicalTo END
   WHERE ${CONCERNED_SHARES} RETURNING s.id`,
});

/** Access tokens are deleted: they came from the old host. */
export const MOVE_RECEIVED = statement({
  name: 'peer_rename.move_received',
  params: { fromId: int8, toId: int8, idPattern: text, newHost: text, addressPattern: text, baseUrl: text },
  row: { id: int8 },
  sql: `UPDATE received_share r SET peer_id = :toId, owner = ${moved('r.owner', ':idPattern', ':newHost')}, sender = ${moved('r.sender', ':idPattern', ':newHost')},
     access = ${movedAccess(':addressPattern', ':baseUrl')}, access_token_enc = NULL, access_token_expires_at = NULL,
     look_at = CASE WHEN r.look_at IS NOT NULL THEN now() END
   WHERE ${MOVES} RETURNING r.id`,
});
export const MOVE_SENDERS = statement({
  name: 'peer_rename.move_senders',
  params: { idPattern: text, newHost: text },
  sql: `UPDATE received_share r SET sender = ${moved('r.sender', ':idPattern', ':newHost')} WHERE r.sender ~* :idPattern`,
});

export const MOVE_MESSAGES = statement({
  name: 'peer_rename.move_messages',
  params: { fromId: int8, toId: int8, idPattern: text, newHost: text },
  row: { id: int8 },
  sql: `UPDATE outbox_message m SET peer_id = CASE m.peer_id WHEN :fromId THEN :toId ELSE m.peer_id END,
     available_at = CASE WHEN m.peer_id = :fromId AND m.state = 'pending' THEN now() ELSE m.available_at END,
     payload = coalesce((SELECT jsonb_object_agg(key, CASE WHEN key IN ('shareWith', 'grantee', 'owner') AND jsonb_typeof(value) = 'string'
       THEN to_jsonb(${moved(`value #>> '{}'`, ':idPattern', ':newHost')}) ELSE value END) FROM jsonb_each(m.payload)), '{}')
   WHERE ${CONCERNED_MESSAGES} RETURNING m.id`,
});

/** Replaces the old host at the end of canonical cloud ids by the new one. */
const movedCanonical = (column: string): string =>
  `CASE WHEN right(${column}, length(:canonicalFrom)) = :canonicalFrom
     THEN left(${column}, -length(:canonicalFrom)) || :canonicalTo ELSE ${column} END`;

export const MOVE_STORED_WRITES = statement({
  name: 'peer_rename.move_stored_writes',
  params: { fromId: int8, toId: int8 },
  sql: `UPDATE stored_write SET peer_id = :toId, host_key = (SELECT host_key FROM peer WHERE id = :toId)
   WHERE peer_id = :fromId AND NOT ${isOfStaying('received_share_id')}`,
});

/** A person who is in a group under both hosts stays in it once. */
export const END_DOUBLE_MEMBERS = statement({
  name: 'peer_rename.end_double_members',
  params: { fromId: int8, canonicalFrom: text, canonicalTo: text, acting: text },
  sql: `DELETE FROM group_remote_member g WHERE g.peer_id = :fromId AND ${ACTING} AND EXISTS (SELECT FROM group_remote_member o
     WHERE o.gid = g.gid AND o.canonical = ${movedCanonical('g.canonical')} AND o.canonical <> g.canonical)`,
});
export const MOVE_MEMBERS = statement({
  name: 'peer_rename.move_members',
  params: {
    fromId: int8,
    toId: int8,
    idPattern: text,
    newHost: text,
    canonicalFrom: text,
    canonicalTo: text,
  },
  sql: `UPDATE group_remote_member g SET peer_id = :toId, canonical = ${movedCanonical('g.canonical')},
     cloud_id = ${moved('g.cloud_id', ':idPattern', ':newHost')} WHERE g.peer_id = :fromId`,
});
/** Moves the decisions of group members, to the membership that was kept. A person with shares under both hosts loses the older one. */
export const MOVE_GROUP_RECIPIENTS = statement({
  name: 'peer_rename.move_group_recipients',
  params: { idPattern: text, newHost: text, canonicalFrom: text, canonicalTo: text },
  sql: `UPDATE group_recipient r SET canonical = ${movedCanonical('r.canonical')}, recipient = ${moved('r.recipient', ':idPattern', ':newHost')},
     member_since = (SELECT m.added_at FROM share s JOIN group_remote_member m ON m.gid = s.recipient_canonical WHERE s.id = r.group_share_id
       AND m.canonical = ${movedCanonical('r.canonical')})
   WHERE right(r.canonical, length(:canonicalFrom)) = :canonicalFrom AND NOT EXISTS (SELECT FROM group_recipient o
     WHERE o.group_share_id = r.group_share_id AND o.canonical = ${movedCanonical('r.canonical')})`,
});

/** Nodes in the trash bin are offered to the new host when they are restored. */
export const MOVE_TRASHED_OFFERS = statement({
  name: 'peer_rename.move_trashed_offers',
  params: { idPattern: text, newHost: text, canonicalFrom: text, canonicalTo: text },
  sql: `UPDATE trashed_offer o SET recipient_canonical = ${movedCanonical('o.recipient_canonical')}, recipient = ${moved('o.recipient', ':idPattern', ':newHost')}
   WHERE right(o.recipient_canonical, length(:canonicalFrom)) = :canonicalFrom`,
});

/** Decisions about the old host are copied to the new one, unless it has decisions of its own. */
export const HAND_ON_TRUST = statement({
  name: 'peer_rename.hand_on_trust',
  params: { fromId: int8, toId: int8, acting: text },
  sql: `UPDATE peer n SET trust = CASE n.trust WHEN 'unknown' THEN o.trust ELSE n.trust END,
     outgoing_trust = coalesce(n.outgoing_trust, o.outgoing_trust)
   FROM peer old JOIN peer o ON o.id = old.host_id, peer next
   WHERE old.id = :fromId AND next.id = :toId AND n.id = next.host_id AND n.id <> o.id AND ${ACTING}`,
});
/** Older names of the old host now lead to the new one. */
export const POINT_TO = statement({
  name: 'peer_rename.point_to',
  params: { fromId: int8, toId: int8, acting: text },
  sql: `UPDATE peer p SET alias_of = CASE p.id WHEN :toId THEN NULL ELSE :toId END
   WHERE (p.id IN (:fromId, :toId) OR p.alias_of = :fromId) AND ${ACTING}`,
});
export const WAKE_RELAYS = statement({
  name: 'peer_rename.wake_relays',
  sql: `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
});
