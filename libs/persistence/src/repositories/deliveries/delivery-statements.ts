import { SHARE_TYPES } from '#sharing';
import { BEGINNINGS, type MessageKind, type MessageState, type Subject } from '#federation/exchange';
import {
  array,
  bool,
  bytea,
  float8,
  int4,
  int8,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { GETS_NO_MESSAGES } from '../partners/partner-gate.repository';

const CLAIM_ROW = {
  id: int8,
  round: int4,
  state: textOf<MessageState>(),
  kind: textOf<MessageKind>(),
  subject_type: textOf<Subject['type']>(),
  subject_id: int8,
  peer_id: int8,
  host_id: int8,
  dedupe_key: text,
  revision: int4,
  payload: jsonb<Record<string, unknown>>(),
  sealed_secret: nullable(bytea),
  attempts: int4,
  maybe_delivered: bool,
  troubled: bool,
  host: text,
  origin: nullable(text),
};

export type ClaimRow = RowOf<typeof CLAIM_ROW>;

/** Maximum duration of a message that begins a share, in leases. */
const BEGINNING_LEASES = 2.5;

/** The share of the message has ended, and the event is not handled yet. That makes most messages pointless. */
const HAS_ENDED = `EXISTS (SELECT FROM share_event e WHERE e.subject_id = m.subject_id AND e.kind = 'ended'
  AND e.subject_type = CASE m.subject_type WHEN 'reshare' THEN 'share' ELSE m.subject_type END)`;

/** A message goes back to the outbox if its partner was paused or its breaker opened after queueing, or if its share ended. */
export const CLAIM = statement({
  name: 'delivery.claim',
  params: { messageIds: array(int8), rounds: array(int4), leaseMs: int4 },
  row: CLAIM_ROW,
  sql: `UPDATE outbox_message m SET
     state = CASE WHEN barred OR ${HAS_ENDED} THEN 'pending' ELSE 'inflight' END,
     lease_until = CASE WHEN barred OR ${HAS_ENDED} THEN NULL ELSE now() + :leaseMs::int * interval '1 millisecond'
       * CASE WHEN m.kind = ANY('{${BEGINNINGS.join()}}') THEN ${BEGINNING_LEASES} ELSE 1 END END
   FROM unnest(:messageIds::bigint[], :rounds::int[]) AS wanted (id, round), peer p, peer host,
     LATERAL (SELECT ${GETS_NO_MESSAGES} AS barred) gate
   WHERE m.id = wanted.id AND m.round = wanted.round AND m.state = 'queued' AND p.id = m.peer_id AND host.id = p.host_id
   RETURNING m.id, m.round, m.state, m.kind, m.subject_type, m.subject_id, m.peer_id, p.host_id, m.dedupe_key, m.revision, m.payload,
     m.sealed_secret, m.attempts, m.maybe_delivered, m.origin, p.host_key AS host, host.gate #> '{breaker,recent}' <> '[]'::jsonb AS troubled`,
});

const OPEN_ROW = {
  id: int8,
  round: int4,
  state: textOf<MessageState>(),
  attempts: int4,
  maybe_delivered: bool,
  deadline_ms: float8,
  now_ms: float8,
};

export type OpenRow = RowOf<typeof OPEN_ROW>;

export const LOCK_SHARES = statement({
  name: 'delivery.lock_shares',
  goesWithBegin: true,
  params: { shareIds: array(int8) },
  sql: 'SELECT id FROM share WHERE id = ANY(:shareIds::bigint[]) ORDER BY id FOR NO KEY UPDATE',
});

export const LOCK_OPEN = statement({
  name: 'delivery.lock_open',
  goesWithBegin: true,
  params: { messageIds: array(int8) },
  row: OPEN_ROW,
  sql: `SELECT id, round, state, attempts, maybe_delivered, (extract(epoch FROM deadline_at) * 1000)::double precision AS deadline_ms,
     (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms
   FROM outbox_message WHERE id = ANY(:messageIds::bigint[]) AND state IN ('pending', 'queued', 'inflight')
   ORDER BY id FOR NO KEY UPDATE`,
});

/** Whether a share shows the state of a message: a later message shows its own one, unless it was dropped with this one. */
export const showsMessage = (ofShare: string, ofMessage: string, dropsFollowing: string): string =>
  `(${ofShare} <= ${ofMessage} OR ${dropsFollowing})`;

/** Updates messages, their attempts and their shares, in one statement. */
export const SETTLE = statement({
  name: 'delivery.settle',
  params: { counted: jsonText },
  sql: `WITH settled AS (
     SELECT * FROM jsonb_to_recordset(:counted::jsonb) AS one (id bigint, round integer, state text, attempts integer,
       available_at_ms double precision, error_class text, error_message text, maybe_delivered boolean, reply jsonb, outcome text,
       endpoint text, dialect text, http_status smallint, duration_ms integer, excerpt text,
       share_id bigint, revision integer, delivery_state text, frees_recipient boolean, drops_following boolean)
   ), messages AS (
     UPDATE outbox_message m SET state = s.state, attempts = s.attempts, maybe_delivered = s.maybe_delivered, lease_until = NULL,
       available_at = coalesce(to_timestamp(s.available_at_ms / 1000), m.available_at), error_class = s.error_class,
       error_message = s.error_message, reply = s.reply, finished_at = CASE WHEN s.state <> 'pending' THEN now() END
     FROM settled s WHERE m.id = s.id
   ), attempts AS (
     INSERT INTO delivery_attempt (message_id, attempt, round, outcome, error_class, error_message, endpoint, dialect, http_status,
       duration_ms, excerpt)
     SELECT id, attempts, round, outcome, error_class, error_message, endpoint, dialect, http_status, duration_ms, excerpt FROM settled
     ON CONFLICT DO NOTHING
   )
   UPDATE share h SET delivery_state = s.delivery_state, delivery_attempts = s.attempts, delivery_error = s.error_message,
     delivery_next_attempt = to_timestamp(s.available_at_ms / 1000),
     delivered_at = CASE WHEN s.delivery_state = 'delivered' THEN now() ELSE h.delivered_at END,
     recipient_canonical = CASE WHEN s.frees_recipient THEN NULL ELSE h.recipient_canonical END
   FROM settled s WHERE h.id = s.share_id AND h.share_type = ${SHARE_TYPES.federated} AND ${showsMessage('h.revision', 's.revision', 's.drops_following')}
     AND s.delivery_state IS NOT NULL`,
});

export const DROP_FOLLOWING = statement({
  name: 'delivery.drop_following',
  params: { ids: array(int8) },
  sql: `UPDATE outbox_message later SET state = 'superseded', finished_at = now(), lease_until = NULL
   FROM outbox_message m
   WHERE m.id = ANY(:ids::bigint[]) AND later.subject_type = m.subject_type AND later.subject_id = m.subject_id AND later.id > m.id
     AND later.state IN ('pending', 'queued')`,
});

/** Tells requests that wait for the first answers to these messages, after the commit. */
export const TELL_VERDICTS = statement({
  name: 'delivery.tell_verdicts',
  params: { ids: array(int8) },
  sql: `SELECT tell_after_commit('delivery:' || id) FROM unnest(:ids::bigint[]) AS id`,
});
