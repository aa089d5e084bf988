import { Injectable } from '@nestjs/common';
import { admit, PAUSE_AFTER_DOUBT_MS, type Gate } from '#federation/delivery';
import { WITHOUT_COPIES } from '#federation/protocol';
import { Database, type Queryable } from '../../database';
import { statement } from '../../statement';
import { COMMIT_LAZILY } from './commit-lazily';
import { keepsCopies } from '../partners/copies-sql';

/** A message that the queue is to take; whoever claims it with an older round has lost it. */
export interface DispatchedMessage {
  readonly messageId: number;
  readonly round: number;
}

/** A message for the queue, with its origin (as `readOrigin` takes it). */
export interface QueuedMessage extends DispatchedMessage {
  readonly origin: string | null;
}

/** Messages for the queue now, and the time of the next one that only the rate limit holds back. */
export interface Dispatched {
  readonly messages: readonly QueuedMessage[];
  /** Milliseconds; null when nothing waits for a token. */
  readonly moreInMs: number | null;
}

interface DuePeerRow {
  readonly id: number;
  readonly concurrency: number;
  readonly rate_per_second: number;
  readonly rate_burst: number;
  readonly gate: Gate;
  readonly under_way: number;
  readonly now_ms: number;
}

/** The database's clock, so that the clocks of several workers need not agree. */
const NOW_MS = `(extract(epoch FROM clock_timestamp()) * 1000)::double precision`;

/** Hosts with due messages, whatever addresses there these are for. */
const DUE_PEERS = statement<DuePeerRow>(
  'outbox_dispatch.due_peers',
  `SELECT p.id, p.concurrency, p.rate_per_second, p.rate_burst, p.gate, busy.under_way, ${NOW_MS} AS now_ms
   FROM peer p
   CROSS JOIN LATERAL (SELECT count(*)::int AS under_way FROM peer a JOIN outbox_message m ON m.peer_id = a.id
     WHERE a.host_id = p.id AND m.state IN ('queued', 'inflight')) busy
   CROSS JOIN LATERAL (SELECT due.available_at FROM peer a CROSS JOIN LATERAL (SELECT m.available_at FROM outbox_message m
       WHERE m.peer_id = a.id AND m.state = 'pending' AND m.available_at <= now() ORDER BY m.available_at LIMIT 1) due
     WHERE a.host_id = p.id ORDER BY due.available_at LIMIT 1) oldest
   WHERE p.host_id = p.id AND NOT p.paused AND (p.parked_until IS NULL OR p.parked_until <= now()) AND busy.under_way < p.concurrency
   ORDER BY oldest.available_at LIMIT $1
   FOR NO KEY UPDATE OF p SKIP LOCKED`,
);
const FIRST_OF_SUBJECTS = statement<{ id: number; host_id: number }>(
  'outbox_dispatch.first_of_subjects',
  `SELECT m.id, wanted.host_id FROM unnest($1::bigint[], $2::int[]) AS wanted (host_id, room)
   CROSS JOIN LATERAL (SELECT one.id FROM peer a CROSS JOIN LATERAL (
     SELECT m.id, m.available_at FROM outbox_message m
     WHERE m.peer_id = a.id AND m.state = 'pending' AND m.available_at <= now()
       AND NOT EXISTS (SELECT FROM outbox_message earlier
         WHERE earlier.subject_type = m.subject_type AND earlier.subject_id = m.subject_id AND earlier.id < m.id
           AND earlier.state IN ('pending', 'queued', 'inflight'))
     ORDER BY m.available_at, m.id LIMIT wanted.room
     FOR NO KEY UPDATE SKIP LOCKED
   ) one WHERE a.host_id = wanted.host_id ORDER BY one.available_at, one.id LIMIT wanted.room) m`,
);
const QUEUE = statement<QueuedMessage>(
  'outbox_dispatch.queue',
  `UPDATE outbox_message SET state = 'queued', round = round + 1, lease_until = now() + $2::int * interval '1 millisecond'
   WHERE id = ANY($1::bigint[]) RETURNING id AS "messageId", round, origin`,
);
const SAVE_GATES = statement(
  'outbox_dispatch.save_gates',
  `UPDATE peer p SET gate = saved.gate, parked_until = to_timestamp(saved.parked_until_ms / 1000)
   FROM unnest($1::bigint[], $2::jsonb[], $3::double precision[]) AS saved (id, gate, parked_until_ms) WHERE p.id = saved.id`,
);
const RECLAIM = statement<{ id: number }>(
  'outbox_dispatch.reclaim',
  `UPDATE outbox_message m SET state = 'pending', lease_until = NULL,
     available_at = CASE WHEN m.state = 'inflight' AND m.kind = 'share-create' AND ${keepsCopies('p', '$1')}
       THEN now() + $2::int * interval '1 millisecond' ELSE now() END,
     maybe_delivered = m.maybe_delivered OR m.state = 'inflight'
   FROM peer p
   WHERE p.id = m.peer_id AND m.id IN (SELECT id FROM outbox_message WHERE state IN ('queued', 'inflight') AND lease_until < now()
     ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
   RETURNING m.id`,
);
const GIVE_BACK = statement(
  'outbox_dispatch.give_back',
  `UPDATE outbox_message m SET state = 'pending', lease_until = NULL
   FROM unnest($1::bigint[], $2::int[]) AS returned (id, round)
   WHERE m.id = returned.id AND m.round = returned.round AND m.state = 'queued'`,
);

const PEERS_AT_ONCE = 200;

/** Decides which messages the queue gets next: due, first of their subject, and let through by their partner's gate. */
@Injectable()
export class OutboxDispatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes messages out of the outbox for the queue. Several workers may do so at once: each takes other partners.
   * @param leaseMs after which a message that nobody settled is taken anew
   */
  dispatch(leaseMs: number): Promise<Dispatched> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(COMMIT_LAZILY);
      const peers = await transaction.rows(DUE_PEERS, [PEERS_AT_ONCE]);
      if (peers.length === 0) return { messages: [], moreInMs: null };
      const rooms = peers.map((peer) => peer.concurrency - peer.under_way);
      const candidates = await transaction.rows(FIRST_OF_SUBJECTS, [peers.map((peer) => peer.id), rooms]);
      const { admitted, moreInMs } = await admitAll(transaction, peers, candidates);
      const messages = admitted.length > 0 ? await transaction.rows(QUEUE, [admitted, leaseMs]) : [];
      return { messages, moreInMs };
    });
  }

  /** Takes back what the queue could not be given. */
  async giveBack(messages: readonly DispatchedMessage[]): Promise<void> {
    const values = [messages.map((one) => one.messageId), messages.map((one) => one.round)];
    await this.database.transaction((transaction) => transaction.rows(GIVE_BACK, values));
  }

  /**
   * Makes messages available again whose worker or queue forgot them; an offer that may have arrived is held back for a
   * while where it would become a second share.
   * @returns how many
   */
  reclaim(): Promise<number> {
    const values = [WITHOUT_COPIES, PAUSE_AFTER_DOUBT_MS];
    return this.database.transaction(async (transaction) => (await transaction.rows(RECLAIM, values)).length);
  }
}

async function admitAll(
  transaction: Queryable,
  peers: readonly DuePeerRow[],
  candidates: readonly { id: number; host_id: number }[],
): Promise<{ admitted: number[]; moreInMs: number | null }> {
  const byHost = Map.groupBy(candidates, (candidate) => candidate.host_id);
  const decisions = peers.flatMap((peer) => {
    const own = byHost.get(peer.id);
    if (!own) return [];
    const limits = { concurrency: peer.concurrency, perSecond: peer.rate_per_second, burst: peer.rate_burst };
    const admission = admit(peer.gate, limits, own.length, peer.under_way, peer.now_ms);
    return [{ ...admission, id: peer.id, chosen: own.slice(0, admission.admitted) }];
  });
  if (decisions.length > 0) await saveGates(transaction, decisions);
  const waits = decisions.flatMap(({ parkedUntilMs }) => (parkedUntilMs === null ? [] : [parkedUntilMs]));
  return {
    admitted: decisions.flatMap(({ chosen }) => chosen.map((candidate) => candidate.id)),
    moreInMs: waits.length > 0 ? Math.min(...waits) - peers[0]!.now_ms : null,
  };
}

/** Stores gates with the moment until which they bar the partner (milliseconds; null: they do not). */
export async function saveGates(
  transaction: Queryable,
  gates: readonly { readonly id: number; readonly gate: Gate; readonly parkedUntilMs: number | null }[],
): Promise<void> {
  await transaction.rows(SAVE_GATES, [
    gates.map(({ id }) => id),
    gates.map(({ gate }) => JSON.stringify(gate)),
    gates.map(({ parkedUntilMs }) => parkedUntilMs),
  ]);
}
