import { ONCE_PER_RECIPIENT, PLACED_HERE } from './kind-sql';
import { SHARE_TYPES } from '#sharing';
import { decision, statement } from '../../statement';
import { FIRST_DELIVERY } from '../partners/partner-gate.repository';
import { REMOTE_LIVE, REMOTE_PERMISSIONS } from '../files/mount-sql';
import { ALIVE, PERSONAL_COLUMNS, SHARE_COLUMNS, targetFolder, type ShareRow } from './share-row';

/** The personal row to read with a share: the recipient's of a user share, the viewer's of a group share. */
const personalOf = (viewer: string): string => `LEFT JOIN share_recipient r ON r.share_id = s.id
    AND r.uid = CASE WHEN s.share_type = ${SHARE_TYPES.user} THEN s.recipient_canonical ELSE ${viewer} END
  ${targetFolder(viewer)}`;

const ONE_TEXT = `SELECT ${SHARE_COLUMNS}, ${PERSONAL_COLUMNS} FROM share s JOIN node n ON n.id = s.node_id ${personalOf('$2')}
  WHERE s.id = $1 AND ${ALIVE}`;

export const FIND = statement<ShareRow>('share.find', ONE_TEXT);
export const FIND_LOCKED = statement<ShareRow>('share.find_locked', `${ONE_TEXT} FOR UPDATE OF s`);

/** Managers see the recipient's own target of a user share; nothing else personal is theirs to see. */
const OWN_COLUMNS = `${SHARE_COLUMNS}, r.state, r.file_target AS target, NULL::bigint AS folder_id`;
const OWN_TABLES = `share s JOIN node n ON n.id = s.node_id
  LEFT JOIN share_recipient r ON r.share_id = s.id AND s.share_type = ${SHARE_TYPES.user} AND r.uid = s.recipient_canonical`;

export const LIST_INITIATED = statement<ShareRow>(
  'share.list_initiated',
  `SELECT ${OWN_COLUMNS} FROM ${OWN_TABLES}
   WHERE s.initiator_uid = $1 AND s.share_type = ANY($2::smallint[]) AND ${ALIVE}
     AND (s.share_type, s.id) > ($3::smallint, $4::bigint)
   ORDER BY s.share_type, s.id LIMIT $5`,
);

/** Also what others made of the user's files; of one node or of the children of one folder where asked for. */
export const LIST_OWN = statement<ShareRow>(
  'share.list_own',
  `SELECT ${OWN_COLUMNS} FROM ${OWN_TABLES}
   WHERE (s.initiator_uid = $1 OR ($3 AND s.owner_uid = $1)) AND s.share_type = ANY($2::smallint[]) AND ${ALIVE}
     AND ($4::bigint IS NULL OR s.node_id = $4) AND ($5::bigint IS NULL OR n.parent_id = $5)
     AND (CASE WHEN $5::bigint IS NULL THEN '' ELSE n.name END, s.share_type, s.id) > ($6::text, $7::smallint, $8::bigint)
   ORDER BY CASE WHEN $5::bigint IS NULL THEN '' ELSE n.name END, s.share_type, s.id LIMIT $9`,
);

export const LIST_RECEIVED = statement<ShareRow>(
  'share.list_received',
  `SELECT ${SHARE_COLUMNS}, ${PERSONAL_COLUMNS}
   FROM share_recipient r JOIN share s ON s.id = r.share_id JOIN node n ON n.id = s.node_id ${targetFolder('$1')}
   WHERE r.uid = $1 AND ($3::smallint IS NULL OR r.state = $3) AND s.share_type = ANY($4::smallint[])
     AND (s.share_type = ${SHARE_TYPES.user} OR s.recipient_canonical = ANY($2::text[]))
     AND s.owner_uid <> $1 AND s.permissions > 0 AND ($5::bigint IS NULL OR s.node_id = $5) AND ${ALIVE}
     AND (s.share_type, s.id) > ($6::smallint, $7::bigint)
   ORDER BY s.share_type, s.id LIMIT $8`,
);

export interface CoverageRow {
  /** null for a mount of another instance's. */
  readonly share_id: number | null;
  readonly node_id: number;
  readonly path: string;
  readonly mount_target: string;
  readonly permissions: number;
  readonly attributes: string | null;
  readonly requirements: readonly string[] | null;
  readonly direct: boolean;
  readonly folder_id: number | null;
}

/**
 * From the wanted nodes up: a mount covers a node when it shows the node or a folder above it, so each node's own
 * path and those of its ancestors are looked up by their hashes. What else the owner has is never read.
 */
export const COVERAGE = statement<CoverageRow>(
  'share.coverage',
  `WITH wanted AS MATERIALIZED (
     SELECT n.id, n.storage_id, n.path, array_to_string(parts[1:depth], '/') AS root_path
     FROM node n CROSS JOIN LATERAL string_to_array(n.path, '/') AS parts
     CROSS JOIN LATERAL generate_series(least(1, cardinality(parts)), cardinality(parts)) AS depth
     WHERE n.id = ANY($2::bigint[])
   ), roots AS MATERIALIZED (
     SELECT w.id AS node_id, w.path, root.id AS root_id, root.path AS root_path, root.kind, root.received_share_id
     FROM wanted w JOIN node root
       ON root.storage_id = w.storage_id AND root.path_hash = md5(w.root_path)::uuid AND root.path = w.root_path
   )
   SELECT s.id AS share_id, o.node_id, r.file_target || substr(o.path, char_length(o.root_path) + 1) AS path,
     r.file_target AS mount_target, s.permissions, s.attributes, NULL::jsonb AS requirements, o.node_id = o.root_id AS direct, f.id AS folder_id
   FROM roots o
   JOIN share s ON s.node_id = o.root_id AND s.share_type IN ${PLACED_HERE}
   JOIN share_recipient r ON r.share_id = s.id AND r.uid = $1
   ${targetFolder('$1')}
   WHERE r.state = 0 AND r.file_target IS NOT NULL AND ${ALIVE}
     AND (s.share_type = ${SHARE_TYPES.user} OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = $1))
   UNION ALL
   SELECT NULL, root.node_id, f.file_target || root.path, f.file_target, ${REMOTE_PERMISSIONS}, NULL, f.access -> 'requirements', root.path = '', home.id
   FROM roots root
   JOIN received_share f ON f.id = root.received_share_id AND f.recipient_uid = $1
   LEFT JOIN node home ON home.path_hash = f.folder_hash
     AND home.storage_id = (SELECT id FROM storage WHERE owner_uid = $1 AND received_share_id IS NULL)
   WHERE root.root_path = '' AND ${REMOTE_LIVE}
   ORDER BY share_id`,
);

export const SHARED_WITH_GROUP = statement<{ found: boolean }>(
  'share.shared_with_group',
  `SELECT EXISTS (SELECT FROM share s WHERE s.node_id = $1 AND s.share_type = ${SHARE_TYPES.group} AND s.recipient_canonical = ANY($2::text[])
     AND s.owner_uid <> $3 AND ${ALIVE}) AS found`,
);

/**
 * Holds the accounts in parameter `people` until the new share is there. They come first, as when an account is
 * removed, so that the two cannot wait for each other.
 */
export const holdPeople = (people: string): string =>
  `people AS (SELECT uid FROM user_account WHERE uid = ANY(${people}::text[]) ORDER BY uid FOR KEY SHARE)`;
export const allHeld = (people: string): string =>
  `(SELECT count(*) FROM people) = cardinality(${people}::text[])`;

/**
 * Share and personal row in one statement. A row that is there already makes it return no id; so does, with `gone`,
 * an account or group that vanished meanwhile. A node that did violates its foreign key.
 */
export const INSERT = decision<{ id: number | null; stime: number; gone: boolean }>(
  'share.insert',
  (acting) => `WITH ${holdPeople('$11')}, held AS (
     SELECT gid FROM user_group WHERE $1::smallint = 1 AND gid = $5 FOR KEY SHARE
   ), checked AS (
     SELECT ${allHeld('$11')} AND ($1 <> 1 OR EXISTS (SELECT FROM held)) AS there
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target,
       initial_state, expires_on, attributes)
     SELECT $1::smallint, $2::bigint, $3::text, $4::text, $5::text, $5, $6::smallint, $7::text, $8::smallint, $9::date, $10::text
     FROM checked WHERE there AND ${acting}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, created_at, recipient_canonical
   ), placed AS (
     INSERT INTO share_recipient (share_id, uid, state) SELECT id, recipient_canonical, $8::smallint FROM made WHERE $1 = 0
   )
   SELECT made.id, floor(extract(epoch FROM made.created_at))::bigint AS stime, NOT checked.there AS gone
   FROM checked LEFT JOIN made ON true`,
);

/** Returns nothing where an account vanished meanwhile. */
export const INSERT_LINK = decision<{ id: number; stime: number }>(
  'share.insert_link',
  (acting) => `WITH ${holdPeople('$12')}
   INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, file_target, expires_on, attributes,
     token_hmac, token_enc, password_hash, name)
   SELECT 3, $1::bigint, $2::text, $3::text, $4::smallint, $5::text, $6::date, $7::text, $8::bytea, $9::bytea, $10::text,
     $11::text
   WHERE ${allHeld('$12')} AND ${acting}
   RETURNING id, floor(extract(epoch FROM created_at))::bigint AS stime`,
);

/**
 * Share and offer in one statement. A share that is there already makes it return no id; so does, with `gone`, an
 * account that vanished meanwhile. A node that did violates its foreign key.
 * $10 kind, $11 deadline in milliseconds, $12 the offer without the names of its parties, which are read here; $15 the
 * public link that it is made of, or null.
 */
export const INSERT_FEDERATED = decision<{ id: number | null; offer_id: number | null; gone: boolean }>(
  'share.insert_federated',
  (acting) => `WITH ${holdPeople('$14')}, checked AS (
     SELECT ${allHeld('$14')} AS there
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on,
       token_hmac, token_enc, peer_id, delivery_state, delivery_next_attempt, acceptance, link_id)
     SELECT 6, $1::bigint, $2::text, $3::text, $4::text, $5::text, $6::smallint, $7::date, $8::bytea, $9::bytea, p.id,
       ${FIRST_DELIVERY}, 'unknown', $15::bigint
     FROM checked JOIN peer p ON p.id = $13::bigint JOIN peer host ON host.id = p.host_id WHERE there AND ${acting}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id
   ), offer AS (
     INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
     SELECT 'share', made.id, $13, $10, 0, $10 || ':share/' || made.id || ':0', $12::jsonb || jsonb_build_object(
         'owner', jsonb_build_object('uid', owner.uid, 'displayName', owner.display_name),
         'sender', jsonb_build_object('uid', sender.uid, 'displayName', sender.display_name)),
       $9, now() + $11::bigint * interval '1 millisecond'
     FROM made, user_account owner, user_account sender WHERE owner.uid = $2 AND sender.uid = $3
     RETURNING subject_id, id
   )
   SELECT offer.subject_id AS id, offer.id AS offer_id, NOT checked.there AS gone FROM checked LEFT JOIN offer ON true`,
);

/** A federated share as those who are told of a change know it. */
export interface TouchedShareRow {
  readonly revision: number;
  readonly peer_id: number;
  readonly recipient: string;
  readonly token_enc: Buffer;
  /** Its id and sealed secret at the server of its owner, where that made it. */
  readonly granted_id: string | null;
  readonly granted_token_enc: Buffer | null;
  /** The partner that asked for it, and its id there. */
  readonly requester_peer_id: number | null;
  readonly requester_share_id: string | null;
}

/**
 * Message for the partner of a federated share about a change; none for other shares. A server that was asked to make
 * the share and has not answered yet is told after its answer.
 */
export const TOUCH_FEDERATED = statement<TouchedShareRow>(
  'share.touch_federated',
  `UPDATE share SET revision = revision + 1, delivery_state = CASE WHEN delivery_state IN ('delivered', 'not-sent') THEN 'pending' ELSE delivery_state END
   WHERE id = $1 AND share_type = ${SHARE_TYPES.federated} AND peer_id IS NOT NULL
     AND delivery_state <> 'refused' AND via_owner IS DISTINCT FROM 'asked'
   RETURNING revision, peer_id, recipient, token_enc, granted_id, granted_token_enc, requester_peer_id, requester_share_id`,
);

export const REMOVE_EXPIRED_TWIN = statement<{ id: number }>(
  'share.remove_expired_twin',
  `DELETE FROM share WHERE node_id = $1 AND share_type = $2 AND recipient_canonical = $3 AND expires_on < current_date RETURNING id`,
);

export const UPDATE = decision(
  'share.update',
  (acting) => `UPDATE share SET permissions = COALESCE($2, permissions),
     expires_on = CASE WHEN $3 THEN $4::date ELSE expires_on END,
     attributes = CASE WHEN $5 THEN $6 ELSE attributes END,
     name = CASE WHEN $7 THEN $8 ELSE name END,
     password_hash = CASE WHEN $9 THEN $10 ELSE password_hash END
   WHERE id = $1 AND ${acting}`,
);

export const REMOVE = decision<{ id: number }>(
  'share.remove',
  (acting) => `DELETE FROM share s WHERE s.id = $1 AND ${ALIVE} AND ${acting} RETURNING s.id`,
);

export const REMOVE_EXPIRED = statement<{ id: number }>(
  'share.remove_expired',
  `DELETE FROM share WHERE id IN (
     SELECT id FROM share WHERE expires_on < current_date ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING id`,
);
