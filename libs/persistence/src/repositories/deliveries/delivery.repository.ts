import { Injectable } from '@nestjs/common';
import {
  BEGINNINGS,
  settle,
  shareProgress,
  type DeliveryOutcome,
  type MessageKind,
  type MessageState,
  type OutgoingMessage,
  type Randomness,
  type Settlement,
  type Subject,
} from '#federation/delivery';
import { Database, type Queryable } from '../../database';
import { statement } from '../../statement';
import { COMMIT_LAZILY } from './commit-lazily';
import { GETS_NO_MESSAGES } from '../partners/partner-gate.repository';
import { recordHealth } from './delivery-health';
import { sameFailures } from './limited-failures';
import type { DispatchedMessage } from './outbox-dispatch.repository';
import { ReshareSettlement } from '../shares/reshare-settlement';

/** A message that this process is sending, with the round in which it got it. */
export interface ClaimedMessage extends OutgoingMessage {
  readonly round: number;
  /** The row of the partner's host, whose breaker counts its attempts. */
  readonly hostId: number;
  /** Whether the partner failed lately: only then a success is worth recording with it. */
  readonly peerTroubled: boolean;
  /** The partner's host. */
  readonly host: string;
  /** Origin of the message, as `readOrigin` takes it; null where it is unknown. */
  readonly origin: string | null;
}

export interface FinishedAttempt {
  readonly message: ClaimedMessage;
  readonly outcome: DeliveryOutcome;
}

interface ClaimRow {
  readonly id: number;
  readonly round: number;
  readonly state: MessageState;
  readonly kind: MessageKind;
  readonly subject_type: Subject['type'];
  readonly subject_id: number;
  readonly peer_id: number;
  readonly host_id: number;
  readonly dedupe_key: string;
  readonly revision: number;
  readonly payload: Record<string, unknown>;
  readonly sealed_secret: Buffer | null;
  readonly attempts: number;
  readonly maybe_delivered: boolean;
  readonly troubled: boolean;
  readonly host: string;
  readonly origin: string | null;
}

/** A beginning may take longer than anything else, in leases. */
const BEGINNING_LEASES = 2.5;

/** A partner that was paused or whose breaker opened since the message was queued gets nothing: it goes back. */
const CLAIM = statement<ClaimRow>(
  'delivery.claim',
  `UPDATE outbox_message m SET
     state = CASE WHEN barred THEN 'pending' ELSE 'inflight' END,
     lease_until = CASE WHEN barred THEN NULL ELSE now() + $3::int * interval '1 millisecond'
       * CASE WHEN m.kind = ANY('{${BEGINNINGS.join()}}') THEN ${BEGINNING_LEASES} ELSE 1 END END
   FROM unnest($1::bigint[], $2::int[]) AS wanted (id, round), peer p, peer host,
     LATERAL (SELECT ${GETS_NO_MESSAGES} AS barred) gate
   WHERE m.id = wanted.id AND m.round = wanted.round AND m.state = 'queued' AND p.id = m.peer_id AND host.id = p.host_id
   RETURNING m.id, m.round, m.state, m.kind, m.subject_type, m.subject_id, m.peer_id, p.host_id, m.dedupe_key, m.revision, m.payload,
     m.sealed_secret, m.attempts, m.maybe_delivered, m.origin, p.host_key AS host, host.gate #> '{breaker,recent}' <> '[]'::jsonb AS troubled`,
);

interface OpenRow {
  readonly id: number;
  readonly round: number;
  readonly state: MessageState;
  readonly attempts: number;
  readonly maybe_delivered: boolean;
  readonly deadline_ms: number;
  readonly now_ms: number;
}

const LOCK_SHARES = statement(
  'delivery.lock_shares',
  'SELECT id FROM share WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE',
);
const LOCK_OPEN = statement<OpenRow>(
  'delivery.lock_open',
  `SELECT id, round, state, attempts, maybe_delivered, (extract(epoch FROM deadline_at) * 1000)::double precision AS deadline_ms,
     (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms
   FROM outbox_message WHERE id = ANY($1::bigint[]) AND state IN ('pending', 'queued', 'inflight')
   ORDER BY id FOR NO KEY UPDATE`,
);
/** Messages, their attempts and the shares they are about, in one statement. */
const SETTLE = statement(
  'delivery.settle',
  `WITH settled AS (
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS one (id bigint, round integer, state text, attempts integer,
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
   FROM settled s WHERE h.id = s.share_id AND h.share_type = 6 AND (h.revision <= s.revision OR s.drops_following)
     AND s.delivery_state IS NOT NULL`,
);
const DROP_FOLLOWING = statement(
  'delivery.drop_following',
  `UPDATE outbox_message later SET state = 'superseded', finished_at = now(), lease_until = NULL
   FROM outbox_message m
   WHERE m.id = ANY($1::bigint[]) AND later.subject_type = m.subject_type AND later.subject_id = m.subject_id AND later.id > m.id
     AND later.state IN ('pending', 'queued')`,
);
const ANNOUNCE = statement(
  'delivery.announce',
  `SELECT pg_notify('drawbridge_changes', 'delivery:' || id) FROM unnest($1::bigint[]) AS id`,
);

/** Claims messages for sending and records what became of them. */
@Injectable()
export class DeliveryRepository {
  private readonly reshares: ReshareSettlement;

  constructor(
    private readonly database: Database,
    private readonly random: Randomness,
  ) {
    this.reshares = new ReshareSettlement(database);
  }

  /**
   * Takes messages for sending. Those missing in the answer are not to be sent: claimed by somebody else, settled,
   * cancelled, superseded, or their partner is barred by now.
   */
  async claim(wanted: readonly DispatchedMessage[], leaseMs: number): Promise<ClaimedMessage[]> {
    const values = [wanted.map((one) => one.messageId), wanted.map((one) => one.round), leaseMs];
    const rows = await this.database.transaction(async (transaction) => {
      await transaction.rows(COMMIT_LAZILY);
      return transaction.rows(CLAIM, values);
    });
    return rows.filter((row) => row.state === 'inflight').map(claimed);
  }

  /**
   * Records attempts, each once: a failure counts only for whoever still holds the message, a success always.
   * @returns how many were recorded
   */
  settle(finished: readonly FinishedAttempt[]): Promise<number> {
    return this.database.transaction((transaction) => this.settleIn(transaction, finished));
  }

  private async settleIn(transaction: Queryable, finished: readonly FinishedAttempt[]): Promise<number> {
    // Shares before messages, as those who write messages lock them.
    const shareIds = finished.flatMap(({ message }) =>
      message.subject.type === 'share' ? [message.subject.id] : [],
    );
    if (shareIds.length > 0) await transaction.rows(LOCK_SHARES, [shareIds]);
    const open = await transaction.rows(LOCK_OPEN, [finished.map(({ message }) => message.messageId)]);
    const byId = new Map(open.map((row) => [row.id, row]));
    const failures = await sameFailures(transaction, finished);
    const counted = finished.flatMap((one) => this.decide(one, byId, failures));
    if (counted.length === 0) return 0;
    await transaction.rows(SETTLE, [JSON.stringify(counted.map(settledRecord))]);
    const dropping = counted.filter(({ settlement }) => settlement.dropsFollowing);
    if (dropping.length > 0) await transaction.rows(DROP_FOLLOWING, [idsOf(dropping)]);
    await this.reshares.follow(
      transaction,
      counted.filter(({ message }) => message.kind === 'reshare-request'),
    );
    const awaited = counted.filter(
      ({ message }) => BEGINNINGS.includes(message.kind) && message.attempts === 0,
    );
    if (awaited.length > 0) await transaction.rows(ANNOUNCE, [idsOf(awaited)]);
    await recordHealth(transaction, counted, open[0]!.now_ms, this.random);
    return counted.length;
  }

  private decide(
    finished: FinishedAttempt,
    open: Map<number, OpenRow>,
    failures: ReadonlyMap<number, number>,
  ): SettledAttempt[] {
    const { message, outcome } = finished;
    const row = open.get(message.messageId);
    const held = row !== undefined && row.state === 'inflight' && row.round === message.round;
    const succeeded = outcome.kind === 'delivered' || outcome.kind === 'already-gone';
    if (!row || !(held || succeeded)) return [];
    // Twice in one batch counts once.
    open.delete(message.messageId);
    const { kind } = message;
    const attempted = {
      kind,
      attempts: row.attempts,
      sameFailures: failures.get(message.messageId) ?? 0,
      maybeDelivered: row.maybe_delivered,
      deadlineMs: row.deadline_ms,
    };
    return [{ ...finished, settlement: settle(attempted, outcome, row.now_ms, this.random) }];
  }
}

interface SettledAttempt extends FinishedAttempt {
  readonly settlement: Settlement;
}

const idsOf = (attempts: readonly SettledAttempt[]): number[] =>
  attempts.map(({ message }) => message.messageId);

function claimed(row: ClaimRow): ClaimedMessage {
  return {
    messageId: row.id,
    round: row.round,
    kind: row.kind,
    subject: { type: row.subject_type, id: row.subject_id },
    peerId: row.peer_id,
    hostId: row.host_id,
    dedupeKey: row.dedupe_key,
    revision: row.revision,
    payload: row.payload,
    sealedSecret: row.sealed_secret,
    attempts: row.attempts,
    maybeDelivered: row.maybe_delivered,
    peerTroubled: row.troubled,
    host: row.host,
    origin: row.origin,
  };
}

/** One row of what SETTLE reads. */
function settledRecord({ message, outcome, settlement }: SettledAttempt): Record<string, unknown> {
  const { endpoint, dialect, httpStatus, durationMs, excerpt } = outcome.evidence ?? {};
  const progress = message.subject.type === 'share' ? shareProgress(message.kind, settlement) : undefined;
  return {
    id: message.messageId,
    round: message.round,
    state: settlement.state,
    attempts: settlement.attempts,
    available_at_ms: settlement.availableAtMs,
    error_class: settlement.errorClass,
    error_message: settlement.message,
    maybe_delivered: settlement.maybeDelivered,
    reply: outcome.kind === 'delivered' ? (outcome.reply ?? null) : null,
    outcome: outcome.kind,
    endpoint: endpoint ?? null,
    dialect: dialect ?? null,
    http_status: httpStatus ?? null,
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    excerpt: excerpt ?? null,
    share_id: message.subject.type === 'share' ? message.subject.id : null,
    revision: message.revision,
    delivery_state: progress?.deliveryState ?? null,
    frees_recipient: progress?.freesRecipient ?? false,
    drops_following: settlement.dropsFollowing,
  };
}
