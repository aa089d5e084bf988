import { AUDIT_BOUNDS } from '../../audit-bounds';
import { ACTING, statement } from '../../statement';
import {
  bool,
  int4,
  int8,
  nullable,
  text,
  textOf,
  timestamptz,
  voidResult,
  type RowOf,
} from '../../postgres-types';

/** A content that waits to be written into a folder of a partner. */
const STORED_WRITE = {
  id: int8,
  receivedShareId: int8,
  path: text,
  nodeId: nullable(int8),
  writerUid: text,
  shareName: text,
  hostKey: text,
  size: int8,
  sha1: text,
  blobKey: text,
  mtime: timestamptz,
  expects: nullable(text),
  sentSha1: nullable(text),
  attempts: int4,
  refusal: nullable(text),
  isGivenUp: bool,
};
export type StoredWrite = RowOf<typeof STORED_WRITE>;

const COLUMNS = `w.id, w.received_share_id AS "receivedShareId", w.path, w.node_id AS "nodeId", w.writer_uid AS "writerUid",
  w.share_name AS "shareName", w.host_key AS "hostKey", w.size, w.sha1, w.blob_key AS "blobKey", w.mtime, w.expects,
  w.sent_sha1 AS "sentSha1", w.attempts, w.refusal, w.given_up AS "isGivenUp"`;
const HELD = 'w.held_until > now()';
const LEASE = `now() + :leaseMs::int * interval '1 millisecond'`;

/** One lock for all transactions that add waiting bytes, so that a limit is never exceeded. */
export const LOCK_BOUNDS = statement({
  name: 'stored_write.lock_bounds',
  params: { lock: int8 },
  sql: 'SELECT FROM pg_advisory_xact_lock(:lock)',
});
export const WAITING_BYTES = statement({
  name: 'stored_write.waiting_bytes',
  params: { writerUid: text, receivedShareId: int8, path: text },
  row: { ofWriter: int8, ofPartner: int8 },
  sql: `SELECT coalesce(sum(w.size) FILTER (WHERE w.writer_uid = :writerUid), 0)::bigint AS "ofWriter",
     coalesce(sum(w.size) FILTER (WHERE w.peer_id = r.peer_id), 0)::bigint AS "ofPartner"
   FROM (SELECT peer_id FROM received_share WHERE id = :receivedShareId) r, stored_write w
   WHERE (w.writer_uid = :writerUid OR w.peer_id = r.peer_id)
     AND NOT (w.received_share_id = :receivedShareId AND w.path = :path AND w.refusal IS NULL)`,
});

/** The content that waits for a path, which a later one may replace. */
export const REMOVE_AT = statement({
  name: 'stored_write.remove_at',
  params: { receivedShareId: int8, path: text },
  row: {
    expects: nullable(text),
    sentSha1: nullable(text),
    blobKey: text,
    heldUntil: nullable(timestamptz),
  },
  sql: `DELETE FROM stored_write WHERE received_share_id = :receivedShareId AND path = :path AND refusal IS NULL
   RETURNING expects, sent_sha1 AS "sentSha1", blob_key AS "blobKey", held_until AS "heldUntil"`,
});
export const INSERT = statement({
  name: 'stored_write.insert',
  params: {
    receivedShareId: int8,
    path: text,
    nodeId: int8,
    writerUid: text,
    size: int8,
    sha1: text,
    blobKey: text,
    mtime: timestamptz,
    expects: nullable(text),
    sentSha1: nullable(text),
    dueAt: nullable(timestamptz),
  },
  sql: `INSERT INTO stored_write (received_share_id, peer_id, path, node_id, writer_uid, share_name, host_key, size, sha1, blob_key, mtime, expects,
     sent_sha1, due_at)
   SELECT r.id, r.peer_id, :path, :nodeId::bigint, :writerUid, r.name, p.host_key, :size::bigint, :sha1, :blobKey, :mtime::timestamptz,
     :expects::text, :sentSha1::text, greatest(now(), :dueAt::timestamptz)
   FROM received_share r JOIN peer p ON p.id = r.peer_id WHERE r.id = :receivedShareId`,
});

const AT_OR_BELOW = `received_share_id = :receivedShareId AND refusal IS NULL AND (path = :path OR starts_with(path, :path || '/'))`;
export const AT_OR_BELOW_ANY = statement({
  name: 'stored_write.any_at_or_below',
  params: { receivedShareId: int8, path: text },
  row: { found: bool },
  sql: `SELECT EXISTS (SELECT FROM stored_write WHERE ${AT_OR_BELOW}) AS found`,
});
export const HOLD_AT_OR_BELOW = statement({
  name: 'stored_write.hold_at_or_below',
  params: { receivedShareId: int8, path: text, leaseMs: int4 },
  row: { path: text, isHeld: bool, isUnknownThere: bool },
  sql: `WITH found AS (
     SELECT id, path, coalesce(${HELD}, false) AS is_held, expects IS NULL AND sent_sha1 IS NULL AS is_unknown_there
     FROM stored_write w WHERE ${AT_OR_BELOW} FOR UPDATE
   ), held AS (
     UPDATE stored_write s SET held_until = ${LEASE}, attempts = s.attempts + 1 FROM found WHERE s.id = found.id AND NOT found.is_held
   )
   SELECT path, is_held AS "isHeld", is_unknown_there AS "isUnknownThere" FROM found`,
});
export const RELEASE_AT_OR_BELOW = statement({
  name: 'stored_write.release_at_or_below',
  params: { receivedShareId: int8, path: text },
  sql: `UPDATE stored_write SET held_until = NULL WHERE ${AT_OR_BELOW}`,
});
export const REMOVE_AT_OR_BELOW = statement({
  name: 'stored_write.remove_at_or_below',
  params: { receivedShareId: int8, path: text },
  row: { blobKey: text },
  sql: `DELETE FROM stored_write WHERE ${AT_OR_BELOW} RETURNING blob_key AS "blobKey"`,
});

/** A node of a partner, with the content that waits to be written to it. */
const SHOWN_CONTENT = { partnerEtag: nullable(text), blobKey: nullable(text) };
export const OF_NODE = statement({
  name: 'stored_write.of_node',
  params: { nodeId: int8 },
  row: SHOWN_CONTENT,
  sql: `SELECT n.partner_etag AS "partnerEtag", w.blob_key AS "blobKey"
   FROM node n LEFT JOIN stored_write w ON w.node_id = n.id WHERE n.id = :nodeId`,
});

/** Claims the next content; a partner gets only a few at once. */
export const CLAIM = statement({
  name: 'stored_write.claim',
  params: { leaseMs: int4, maxPerPartner: int4 },
  row: { ...STORED_WRITE, ageMs: int8 },
  sql: `UPDATE stored_write w SET held_until = ${LEASE}, attempts = w.attempts + 1
   WHERE w.id = (
     SELECT d.id FROM stored_write d
     WHERE d.due_at <= now() AND (d.held_until IS NULL OR d.held_until < now())
       AND (SELECT count(*) FROM stored_write h WHERE h.peer_id = d.peer_id AND h.held_until > now()) < :maxPerPartner::int
     ORDER BY d.due_at, d.id LIMIT 1 FOR UPDATE SKIP LOCKED
   )
   RETURNING ${COLUMNS}, (extract(epoch FROM now() - w.stored_at) * 1000)::bigint AS "ageMs"`,
});

const HOLDER = 'id = :id AND attempts = :attempts';
const HOLDING = { id: int8, attempts: int4 };
export const RENEW = statement({
  name: 'stored_write.renew',
  params: { ...HOLDING, leaseMs: int4 },
  row: { id: int8 },
  sql: `UPDATE stored_write SET held_until = ${LEASE} WHERE ${HOLDER} AND held_until > now() RETURNING id`,
});
/** Notes that it may have arrived from now on. */
export const NOTE_SENDING = statement({
  name: 'stored_write.note_sending',
  params: HOLDING,
  row: { id: int8 },
  sql: `UPDATE stored_write SET sent_sha1 = sha1 WHERE ${HOLDER} AND held_until > now() RETURNING id`,
});
/** Notes whether the last sent content arrived. */
export const NOTE_THERE = statement({
  name: 'stored_write.note_there',
  params: { ...HOLDING, expects: nullable(text) },
  row: { id: int8 },
  sql: `UPDATE stored_write SET sent_sha1 = NULL, expects = :expects WHERE ${HOLDER} AND held_until > now() RETURNING id`,
});
export const REMOVE = statement({
  name: 'stored_write.remove',
  params: HOLDING,
  row: { nodeId: nullable(int8), peerId: int8 },
  sql: `DELETE FROM stored_write WHERE ${HOLDER} RETURNING node_id AS "nodeId", peer_id AS "peerId"`,
});
/** When a partner answers again, everything that waited for it becomes due at once. */
export const MAKE_DUE = statement({
  name: 'stored_write.make_due',
  params: { peerId: int8 },
  sql: `UPDATE stored_write w SET due_at = now() WHERE w.peer_id = :peerId AND w.due_at > now() AND w.refusal IS NULL AND NOT coalesce(${HELD}, false)`,
});
export const POSTPONE = statement({
  name: 'stored_write.postpone',
  params: { ...HOLDING, pauseMs: int4, error: text },
  sql: `UPDATE stored_write SET held_until = NULL, last_error = left(:error, 500),
     due_at = now() + CASE WHEN given_up AND refusal IS NULL THEN 0 ELSE :pauseMs::int END * interval '1 millisecond' WHERE ${HOLDER}`,
});
export const REFUSE = statement({
  name: 'stored_write.refuse',
  params: { ...HOLDING, refusal: text },
  row: { id: int8 },
  sql: `UPDATE stored_write SET refusal = :refusal, node_id = NULL WHERE ${HOLDER} RETURNING id`,
});

/** Columns for writers and operators; `path` is in the writer's own tree, or in the share if they reach it through another share. */
const LISTED = {
  id: int8,
  path: text,
  shareName: text,
  hostKey: text,
  size: int8,
  state: textOf<'waiting' | 'under-way' | 'given-up' | 'refused'>(),
  attempts: int4,
  storedAt: timestamptz,
  dueAt: timestamptz,
  lastError: nullable(text),
};
const LISTED_COLUMNS = `w.id, CASE WHEN r.recipient_uid = w.writer_uid THEN coalesce(r.file_target, '') ELSE '' END || w.path AS path,
     w.share_name AS "shareName", w.host_key AS "hostKey", w.size,
     CASE WHEN w.refusal IS NOT NULL THEN 'refused' WHEN ${HELD} THEN 'under-way' WHEN w.given_up THEN 'given-up' ELSE 'waiting' END AS state,
     w.attempts, w.stored_at AS "storedAt", w.due_at AS "dueAt", w.last_error AS "lastError"`;

/** Contents of one writer, the oldest first. */
export const OF_WRITER = statement({
  name: 'stored_write.of_writer',
  params: { writerUid: text, limit: int8 },
  row: LISTED,
  sql: `SELECT ${LISTED_COLUMNS} FROM stored_write w LEFT JOIN received_share r ON r.id = w.received_share_id
   WHERE w.writer_uid = :writerUid ORDER BY w.id LIMIT :limit`,
});
export const LIST = statement({
  name: 'stored_write.list',
  params: { hostKey: nullable(text), writerUid: nullable(text), after: int8, limit: int8 },
  row: { ...LISTED, writerUid: text },
  sql: `SELECT ${LISTED_COLUMNS}, w.writer_uid AS "writerUid"
   FROM stored_write w LEFT JOIN received_share r ON r.id = w.received_share_id
   WHERE w.id > :after AND (:hostKey::text IS NULL OR w.host_key = :hostKey) AND (:writerUid::text IS NULL OR w.writer_uid = :writerUid)
   ORDER BY w.id LIMIT :limit`,
});

/** A content by id, and by writer if there is one. */
const CHOSEN = 'w.id = :id AND (:writerUid::text IS NULL OR w.writer_uid = :writerUid)';
export const RETRY = statement({
  name: 'stored_write.retry',
  params: { id: int8, writerUid: nullable(text) },
  row: { id: int8 },
  sql: `UPDATE stored_write w SET due_at = now() WHERE ${CHOSEN} AND NOT coalesce(${HELD}, false) RETURNING w.id`,
});
/** This does not interrupt a delivery. */
export const GIVE_UP = statement({
  name: 'stored_write.give_up',
  params: { id: int8, writerUid: nullable(text), acting: text },
  row: { id: int8, audit: voidResult },
  sql: `WITH given_up AS (
     UPDATE stored_write w SET given_up = true, due_at = CASE WHEN ${HELD} THEN w.due_at ELSE now() END
     WHERE ${CHOSEN} AND w.refusal IS NULL AND NOT w.given_up AND ${ACTING}
     RETURNING w.id, w.writer_uid, w.host_key, w.share_name
   ) SELECT id, audit('stored-write.give-up', 'partner', host_key, jsonb_build_object('uid', writer_uid, 'share', left(share_name, ${AUDIT_BOUNDS.name})))
   FROM given_up`,
});

/** Contents of an account that ends pass to its successor, or else to the recipient of the share if that is another account. */
export const HAND_ON = statement({
  name: 'stored_write.hand_on',
  params: { uid: text, successorUid: nullable(text) },
  row: { id: int8 },
  sql: `UPDATE stored_write w SET writer_uid = heir.uid
   FROM (SELECT s.id, coalesce(:successorUid, r.recipient_uid) AS uid
     FROM stored_write s LEFT JOIN received_share r ON r.id = s.received_share_id WHERE s.writer_uid = :uid) heir
   WHERE w.id = heir.id AND heir.uid <> :uid RETURNING w.id`,
});

/** Waiting contents, by partner. */
export const FIGURES = statement({
  name: 'stored_write.figures',
  row: { hostKey: text, writes: int8, bytes: int8, oldestSeconds: int8 },
  sql: `SELECT host_key AS "hostKey", count(*) AS writes, sum(size)::bigint AS bytes,
     extract(epoch FROM now() - min(stored_at))::bigint AS "oldestSeconds"
   FROM stored_write GROUP BY host_key ORDER BY bytes DESC LIMIT 50`,
});
