import { Injectable } from '@nestjs/common';
import { admit, PAUSE_AFTER_DOUBT_MS, type Gate } from '#federation/exchange';
import { WITHOUT_COPIES } from '#federation/protocol';
import { SecretBox } from '#platform';
import { Database, type Queryable } from '../../database';
import {
  array,
  float4,
  float8,
  int2,
  int4,
  int8,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
} from '../../postgres-types';
import { statement } from '../../statement';
import { COMMIT_LAZILY } from './commit-lazily';
import { GroupFanOutRepository } from '../shares/group-fan-out.repository';
import { ContentChangeRepository } from './content-change.repository';
import { ShareEventRepository } from './share-event.repository';
import { keepsCopiesSql } from '../partners/copies-sql';
import { UNDER_WAY, underWayAt } from '../partners/under-way-sql';

/** A message for the queue; a claim with an older number fails. */
const DISPATCHED_MESSAGE = {
  messageId: int8,
  round: int4,
};
export type DispatchedMessage = RowOf<typeof DISPATCHED_MESSAGE>;

/** A message for the queue, with its origin in the form for `readOrigin`. */
const QUEUED_MESSAGE = {
  ...DISPATCHED_MESSAGE,
  origin: nullable(text),
};
export type QueuedMessage = RowOf<typeof QUEUED_MESSAGE>;

/** Messages for the queue now, and the time of the next one that waits only for the rate limit or for more changes. */
export interface Dispatched {
  readonly messages: readonly QueuedMessage[];
  /** Milliseconds; null when no message waits in this way. */
  readonly moreInMs: number | null;
}

const DUE_PEER_ROW = {
  id: int8,
  concurrency: int2,
  rate_per_second: float4,
  rate_burst: int4,
  gate: jsonb<Gate>(),
  under_way: int4,
  now_ms: float8,
};
type DuePeerRow = RowOf<typeof DUE_PEER_ROW>;

/** Uses the database's clock, so that the clocks of workers need not agree. */
const NOW_MS = `(extract(epoch FROM clock_timestamp()) * 1000)::double precision`;

/**
 * Hosts with due messages, for any of their addresses. It steps through the index of waiting messages from one partner to the next,
 * and reads the first message of each: partners without messages cost nothing, and many messages of one partner cost no more than one.
 * The planner cannot know how few are found, so partners are looked up by id rather than joined.
 */
export const DUE_PEERS = statement({
  name: 'outbox_dispatch.due_peers',
  params: { peersAtOnce: int8 },
  row: DUE_PEER_ROW,
  sql: `WITH RECURSIVE waiting AS (
     (SELECT m.peer_id, m.available_at FROM outbox_message m WHERE m.state = 'pending' ORDER BY m.peer_id, m.available_at LIMIT 1)
     UNION ALL
     SELECT following.peer_id, following.available_at FROM waiting one CROSS JOIN LATERAL (SELECT m.peer_id, m.available_at FROM outbox_message m
       WHERE m.state = 'pending' AND m.peer_id > one.peer_id ORDER BY m.peer_id, m.available_at LIMIT 1) following
   ), ready AS MATERIALIZED (
     SELECT one.peer_id, one.available_at FROM waiting one WHERE one.available_at <= now()
   ), due AS MATERIALIZED (
     SELECT a.host_id, min(ready.available_at) AS available_at FROM ready JOIN peer a ON a.id = ready.peer_id
     WHERE a.id = ANY (ARRAY(SELECT peer_id FROM ready)) GROUP BY 1
   ), ${UNDER_WAY}
   SELECT p.id, p.concurrency, p.rate_per_second, p.rate_burst, p.gate, ${underWayAt('p.id')} AS under_way, ${NOW_MS} AS now_ms
   FROM due JOIN peer p ON p.id = due.host_id
   WHERE p.id = ANY (ARRAY(SELECT host_id FROM due)) AND NOT p.paused AND (p.parked_until IS NULL OR p.parked_until <= now())
     AND ${underWayAt('p.id')} < p.concurrency
   ORDER BY due.available_at LIMIT :peersAtOnce
   FOR NO KEY UPDATE OF p SKIP LOCKED`,
});
const FIRST_OF_SUBJECTS = statement({
  name: 'outbox_dispatch.first_of_subjects',
  plannedOnce: true,
  params: { ids: array(int8), rooms: array(int4) },
  row: { id: int8, host_id: int8 },
  sql: `SELECT m.id, wanted.host_id FROM unnest(:ids::bigint[], :rooms::int[]) AS wanted (host_id, room)
   CROSS JOIN LATERAL (SELECT one.id FROM peer a CROSS JOIN LATERAL (
     SELECT m.id, m.available_at FROM outbox_message m
     WHERE m.peer_id = a.id AND m.state = 'pending' AND m.available_at <= now()
       AND NOT EXISTS (SELECT FROM outbox_message earlier
         WHERE earlier.subject_type = m.subject_type AND earlier.subject_id = m.subject_id AND earlier.id < m.id
           AND earlier.state IN ('pending', 'queued', 'inflight'))
     ORDER BY m.available_at, m.id LIMIT wanted.room
     FOR NO KEY UPDATE SKIP LOCKED
   ) one WHERE a.host_id = wanted.host_id ORDER BY one.available_at, one.id LIMIT wanted.room) m`,
});
const QUEUE = statement({
  name: 'outbox_dispatch.queue',
  params: { admitted: array(int8), leaseMs: int4 },
  row: QUEUED_MESSAGE,
  sql: `UPDATE outbox_message SET state = 'queued', round = round + 1, lease_until = now() + :leaseMs::int * interval '1 millisecond'
   WHERE id = ANY(:admitted::bigint[]) RETURNING id AS "messageId", round, origin`,
});
const SAVE_GATES = statement({
  name: 'outbox_dispatch.save_gates',
  params: { ids: array(int8), gates: array(jsonText), parkedUntilMs: array(nullable(float8)) },
  sql: `UPDATE peer p SET gate = saved.gate, parked_until = to_timestamp(saved.parked_until_ms / 1000)
   FROM unnest(:ids::bigint[], :gates::jsonb[], :parkedUntilMs::double precision[]) AS saved (id, gate, parked_until_ms) WHERE p.id = saved.id`,
});
const RECLAIM = statement({
  name: 'outbox_dispatch.reclaim',
  params: { withoutCopies: array(text), pauseAfterDoubtMs: int4 },
  row: { id: int8 },
  sql: `UPDATE outbox_message m SET state = 'pending', lease_until = NULL,
     available_at = CASE WHEN m.state = 'inflight' AND m.kind = 'share-create' AND ${keepsCopiesSql('p', ':withoutCopies')}
       THEN now() + :pauseAfterDoubtMs::int * interval '1 millisecond' ELSE now() END,
     maybe_delivered = m.maybe_delivered OR m.state = 'inflight'
   FROM peer p
   WHERE p.id = m.peer_id AND m.id IN (SELECT id FROM outbox_message WHERE state IN ('queued', 'inflight') AND lease_until < now()
     ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
   RETURNING m.id`,
});
const GIVE_BACK = statement({
  name: 'outbox_dispatch.give_back',
  params: { messageIds: array(int8), rounds: array(int4) },
  sql: `UPDATE outbox_message m SET state = 'pending', lease_until = NULL
   FROM unnest(:messageIds::bigint[], :rounds::int[]) AS returned (id, round)
   WHERE m.id = returned.id AND m.round = returned.round AND m.state = 'queued'`,
});

const PEERS_AT_ONCE = 200;
const GROUP_STEPS = 4;

/** Decides which messages the queue gets next: those that are due, first of their subject, and admitted by their partner's gate. */
@Injectable()
export class OutboxDispatchRepository {
  private readonly groups: GroupFanOutRepository;
  private readonly events: ShareEventRepository;
  private readonly contentChanges: ContentChangeRepository;

  constructor(
    private readonly database: Database,
    secrets: SecretBox,
  ) {
    this.groups = new GroupFanOutRepository(database, secrets);
    this.events = new ShareEventRepository(database);
    this.contentChanges = new ContentChangeRepository(database);
  }

  /**
   * Takes messages out of the outbox for the queue, including new ones from events of shares and changed content.
   * Several workers may do so at once: each takes
   * other partners.
   * @param leaseMs time after which an unsettled message is taken again
   */
  async dispatch(leaseMs: number): Promise<Dispatched> {
    const groupsInMs = await this.followGroups();
    await this.events.handleAll();
    const changesInMs = await this.contentChanges.writeDue();
    const dispatched = await this.dispatchWritten(leaseMs);
    return { ...dispatched, moreInMs: earlier(groupsInMs, earlier(changesInMs, dispatched.moreInMs)) };
  }

  /** Shares with large groups are handled in steps, and other messages are dispatched in between. @returns 0 if more is due */
  private async followGroups(): Promise<number | null> {
    for (let step = 0; step < GROUP_STEPS; step++) if (!(await this.groups.step())) return null;
    return 0;
  }

  private dispatchWritten(leaseMs: number): Promise<Dispatched> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(COMMIT_LAZILY);
      const peers = await transaction.rows(DUE_PEERS, { peersAtOnce: PEERS_AT_ONCE });
      if (peers.length === 0) return { messages: [], moreInMs: null };
      const rooms = peers.map((peer) => peer.concurrency - peer.under_way);
      const candidates = await transaction.rows(FIRST_OF_SUBJECTS, {
        ids: peers.map((peer) => peer.id),
        rooms,
      });
      const { admitted, moreInMs } = await admitAll(transaction, peers, candidates);
      const messages = admitted.length > 0 ? await transaction.rows(QUEUE, { admitted, leaseMs }) : [];
      return { messages, moreInMs };
    });
  }

  /** Returns messages that the queue did not accept to the outbox. */
  async giveBack(messages: readonly DispatchedMessage[]): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction.rows(GIVE_BACK, {
        messageIds: messages.map((one) => one.messageId),
        rounds: messages.map((one) => one.round),
      }),
    );
  }

  /**
   * Makes messages available again that a worker or the queue lost. An offer that may have arrived is delayed for a
   * while if a repetition would become a second share.
   * @returns how many
   */
  reclaim(): Promise<number> {
    return this.database.transaction(
      async (transaction) =>
        (
          await transaction.rows(RECLAIM, {
            withoutCopies: WITHOUT_COPIES,
            pauseAfterDoubtMs: PAUSE_AFTER_DOUBT_MS,
          })
        ).length,
    );
  }
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

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

/** Stores gates, each with the time until which it bars the partner (milliseconds; null: it does not). */
export async function saveGates(
  transaction: Queryable,
  gates: readonly { readonly id: number; readonly gate: Gate; readonly parkedUntilMs: number | null }[],
): Promise<void> {
  await transaction.rows(SAVE_GATES, {
    ids: gates.map(({ id }) => id),
    gates: gates.map(({ gate }) => JSON.stringify(gate)),
    parkedUntilMs: gates.map(({ parkedUntilMs }) => parkedUntilMs),
  });
}
