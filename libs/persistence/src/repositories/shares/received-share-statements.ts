import type { NodeKind, ReceivedShareState } from '#sharing';
import {
  array,
  bool,
  bytea,
  float8,
  int2,
  int4,
  int8,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { below, DISPLACED } from '../files/mount-sql';
import { NOTIFYING_APP, REMOTE_SHARE } from '../accounts/notified-objects';
import { MOUNTED } from '../../received-states';

/** Columns that an offer fills with the same values for all of its recipients, used for rows and for parameters. */
const OFFER_COLUMNS = {
  peerId: int8,
  providerId: text,
  tokenHmac: bytea,
  /** The shared secret, sealed. */
  tokenEnc: bytea,
  /** Federated cloud ids. */
  owner: text,
  ownerDisplayName: text,
  sender: text,
  senderDisplayName: text,
  name: text,
  description: text,
  /** null if the partner does not name it. */
  kind: nullable(textOf<'file' | 'folder'>()),
  permissions: int2,
  expiresAt: nullable(timestamptz),
  dialect: text,
  /** How the content is accessed, in the form of its dialect. */
  access: jsonb<Readonly<Record<string, unknown>>>(),
  /** The sealed secret of its web application; null if it has none, or the same one. */
  webappTokenEnc: nullable(bytea),
  verified: bool,
};

/** A share from a partner with one of our users. */
const RECEIVED_SHARE_ROW = {
  ...OFFER_COLUMNS,
  recipientUid: text,
  id: int8,
  hostKey: text,
  state: textOf<ReceivedShareState>(),
  /** Grows with every change that its partner gets a message about. */
  revision: int4,
  /** Place in the recipient's tree; null if it has none. */
  fileTarget: nullable(text),
  mimetype: nullable(text),
  size: nullable(int8),
  mtime: nullable(timestamptz),
  etag: nullable(text),
  /** Time since which its partner has not shown it; null if the last request succeeded. */
  unreachableSince: nullable(timestamptz),
  receivedAt: timestamptz,
  /** Whether its recipient has seen it. */
  isSeen: bool,
};

export type ReceivedShareRow = RowOf<typeof RECEIVED_SHARE_ROW>;

const COLUMNS = `r.id, r.peer_id AS "peerId", p.host_key AS "hostKey", r.provider_id AS "providerId", r.token_hmac AS "tokenHmac",
  r.token_enc AS "tokenEnc", r.recipient_uid AS "recipientUid", r.owner, r.owner_display_name AS "ownerDisplayName", r.sender,
  r.sender_display_name AS "senderDisplayName", r.name, r.description, r.kind, r.permissions, r.expires_at AS "expiresAt", r.dialect,
  r.access, r.webapp_token_enc AS "webappTokenEnc", r.verified, r.state, r.revision, r.file_target AS "fileTarget", r.mimetype, r.size, r.mtime, r.etag, r.unreachable_since AS "unreachableSince",
  r.received_at AS "receivedAt", r.seen_at IS NOT NULL AS "isSeen"`;

const TABLES = 'received_share r JOIN peer p ON p.id = r.peer_id';

/** A received share for its recipient's list. */
const LISTED_SHARE_ROW = {
  ...RECEIVED_SHARE_ROW,
  /** Node of its root; null while it has no place. */
  rootId: nullable(int8),
  /** It was accepted a moment ago, and its first probe has not ended yet. */
  awaitsProbe: bool,
};

export type ListedShareRow = RowOf<typeof LISTED_SHARE_ROW>;

// The root is a look-up for each row: as a join, Postgres walked through the roots of all users.
const LISTED_COLUMNS = `${COLUMNS},
  (SELECT root.id FROM node root WHERE root.received_share_id = r.id AND root.parent_id IS NULL) AS "rootId",
  (r.state = 'accepted' AND (r.kind IS NULL OR r.mtime IS NULL) AND r.decided_at > now() - interval '10 seconds'
    AND (r.last_probe_at IS NULL OR r.last_probe_at < r.decided_at)) AS "awaitsProbe"`;

/** An expired share is in no list and has no effect, even before it is removed. */
const ALIVE = '(r.expires_at IS NULL OR r.expires_at > now())';

/** Maximum of undecided shares of one user that did not expire: of all partners together, and of one host. */
const MOST_PENDING = { ofAll: 1000, ofHost: 200 } as const;

/**
 * Stores a share and a notification for each recipient; an existing share is left as it is. If several offers
 * arrive at the same moment, a few too many can be accepted.
 */
export const INSERT = statement({
  name: 'received_share.insert',
  plannedOnce: true,
  params: { ...OFFER_COLUMNS, recipientUids: array(text), subject: text, acting: text },
  /** A row with an id for each new share, and one without for each recipient who has no room. Other recipients had it already. */
  row: { recipientUid: text, id: nullable(int8) },
  sql: `WITH recipient AS (
     SELECT given.uid, pending.of_all < ${MOST_PENDING.ofAll} AND pending.of_host < ${MOST_PENDING.ofHost} AS has_room
     FROM unnest(:recipientUids::text[]) AS given (uid) CROSS JOIN LATERAL (
       SELECT count(*) AS of_all, count(*) FILTER (WHERE peer_id IN (
         SELECT a.id FROM peer p JOIN peer a ON a.host_id = p.host_id WHERE p.id = :peerId)) AS of_host
       FROM received_share r WHERE r.recipient_uid = given.uid AND r.state = 'pending' AND ${ALIVE}) pending
   ), made AS (
     INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, owner_display_name, sender,
       sender_display_name, name, description, kind, permissions, expires_at, dialect, access, webapp_token_enc, verified)
     SELECT :peerId, :providerId, :tokenHmac, :tokenEnc, uid, :owner, :ownerDisplayName, :sender, :senderDisplayName, :name, :description, :kind, :permissions, :expiresAt, :dialect, :access, :webappTokenEnc, :verified
     FROM recipient WHERE has_room AND ${ACTING}
     ON CONFLICT (peer_id, provider_id, token_hmac, recipient_uid) DO NOTHING RETURNING id, recipient_uid
   ), announced AS (
     INSERT INTO notification (uid, app, object_type, object_id, subject)
     SELECT recipient_uid, '${NOTIFYING_APP}', '${REMOTE_SHARE}', id::text, :subject FROM made
     ON CONFLICT DO NOTHING
   )
   SELECT recipient_uid AS "recipientUid", id FROM made
   UNION ALL SELECT uid, NULL FROM recipient WHERE NOT has_room AND NOT EXISTS (SELECT FROM received_share
     WHERE peer_id = :peerId AND provider_id = :providerId AND token_hmac = :tokenHmac AND recipient_uid = uid)`,
});

export const LIST = statement({
  name: 'received_share.list',
  plannedOnce: true,
  params: { recipientUid: text, states: array(text) },
  row: LISTED_SHARE_ROW,
  sql: `SELECT ${LISTED_COLUMNS} FROM ${TABLES} WHERE r.recipient_uid = :recipientUid AND r.state = ANY(:states::text[]) AND ${ALIVE} ORDER BY r.id`,
});

export const FIND_OWN = statement({
  name: 'received_share.find_own',
  params: { id: int8, recipientUid: text },
  row: LISTED_SHARE_ROW,
  sql: `SELECT ${LISTED_COLUMNS} FROM ${TABLES} WHERE r.id = :id AND r.recipient_uid = :recipientUid AND ${ALIVE}`,
});

export const LOCK_OWN = statement({
  name: 'received_share.lock_own',
  goesWithBegin: true,
  params: { id: int8, recipientUid: text },
  row: RECEIVED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.id = :id AND r.recipient_uid = :recipientUid AND ${ALIVE} FOR NO KEY UPDATE OF r`,
});

export const LOCK_BY_SECRET = statement({
  name: 'received_share.lock_by_secret',
  goesWithBegin: true,
  params: { providerId: text, tokenHmac: bytea },
  row: RECEIVED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.token_hmac = :tokenHmac AND r.provider_id = :providerId
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
});

export const LOCK_OF_PARTNERS = statement({
  name: 'received_share.lock_of_partners',
  goesWithBegin: true,
  params: { providerId: text, peerIds: array(int8) },
  row: RECEIVED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.peer_id = ANY(:peerIds::bigint[]) AND r.provider_id = :providerId
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
});

/** An accepted share is probed at once; others are not probed. */
export const CHANGE_STATE = statement({
  name: 'received_share.change_state',
  params: { id: int8, state: text, acting: text },
  row: { revision: int4 },
  sql: `UPDATE received_share SET state = :state, revision = revision + 1, decided_at = now(),
     gone_at = CASE WHEN :state = 'gone' THEN now() END,
     file_target = CASE WHEN :state IN ${MOUNTED} THEN file_target END,
     failed_probes = 0, quarantined_at = NULL, look_at = CASE :state WHEN 'accepted' THEN now() END
   WHERE id = :id AND ${ACTING} RETURNING revision`,
});

export const CHANGE_PERMISSIONS = statement({
  name: 'received_share.change_permissions',
  params: { id: int8, permissions: int2, acting: text },
  sql: `UPDATE received_share SET permissions = :permissions, revision = revision + 1 WHERE id = :id AND ${ACTING}`,
});

/** A share that had expired is probed again, and gives up its place in the tree, which may be taken by now. */
export const CHANGE_EXPIRY = statement({
  name: 'received_share.change_expiry',
  params: { id: int8, expiresAt: nullable(timestamptz) },
  /** With the given-up place; null if there is none. */
  row: { recipientUid: text, kind: nullable(textOf<NodeKind>()), formerTarget: nullable(text) },
  sql: `WITH held AS (
     SELECT id, CASE WHEN expires_at <= now() AND state IN ${MOUNTED} THEN file_target END AS former FROM received_share WHERE id = :id
   )
   UPDATE received_share r SET expires_at = :expiresAt, revision = r.revision + 1,
     look_at = CASE WHEN r.state IN ${MOUNTED} THEN now() ELSE r.look_at END,
     file_target = CASE WHEN held.former IS NULL THEN r.file_target END
   FROM held WHERE r.id = held.id AND r.expires_at IS DISTINCT FROM :expiresAt
   RETURNING r.recipient_uid AS "recipientUid", r.kind, held.former AS "formerTarget"`,
});

/** For a share that had expired: recipients here with whom its content was shared on get another place for it, where theirs is taken by now. */
export const DISPLACE_PASSED_ON = statement({
  name: 'received_share.displace_passed_on',
  params: { id: int8 },
  sql: `UPDATE share_recipient r SET file_target = NULL
   FROM storage held JOIN node shown ON shown.storage_id = held.id JOIN share s ON s.node_id = shown.id
   WHERE held.received_share_id = :id AND r.share_id = s.id AND ${DISPLACED}`,
});

export const CHANGE_DESCRIPTION = statement({
  name: 'received_share.change_description',
  params: { id: int8, description: text },
  sql: `UPDATE received_share SET description = :description, revision = revision + 1 WHERE id = :id AND description <> :description`,
});

/** Sets the state before the last allowed refusal. Probes of one share on request of others are at least half a minute apart. */
export const DOUBT = statement({
  name: 'received_share.doubt',
  params: { providerId: text, tokenHmac: bytea, failedProbes: int2, sinceMs: float8 },
  row: { peerId: int8 },
  sql: `UPDATE received_share SET failed_probes = :failedProbes, quarantined_at = now() - :sinceMs::double precision * interval '1 millisecond',
     look_at = greatest(now(), last_probe_at + interval '30 seconds')
   WHERE provider_id = :providerId AND token_hmac = :tokenHmac AND state IN ${MOUNTED} RETURNING peer_id AS "peerId"`,
});

/** Skips a content whose ETag the root already had. */
export const PROBE_NOW = statement({
  name: 'received_share.probe_now',
  params: { id: int8, etag: text },
  row: { peerId: int8 },
  sql: `UPDATE received_share SET look_at = now()
   WHERE id = :id AND state IN ${MOUNTED} AND etag IS DISTINCT FROM :etag RETURNING peer_id AS "peerId"`,
});

export const PLACE = statement({
  name: 'received_share.place',
  params: { id: int8, fileTarget: text },
  sql: 'UPDATE received_share SET file_target = :fileTarget WHERE id = :id',
});

export const LOCK_MOUNTED_AT_OR_BELOW = statement({
  name: 'received_share.lock_mounted_at_or_below',
  params: { recipientUid: text, path: text },
  row: RECEIVED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ${TABLES}
   WHERE r.recipient_uid = :recipientUid AND r.state IN ${MOUNTED}
     AND (r.file_target = :path OR (${below('r.file_target', ':path')}))
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
});
