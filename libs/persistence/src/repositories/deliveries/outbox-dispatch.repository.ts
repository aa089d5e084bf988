import { Injectable } from '@nestjs/common';
import { admit, PAUSE_AFTER_DOUBT_MS, type Gate } from '#federation/exchange';
import { WITHOUT_COPIES } from '#federation/protocol';
import { SecretBox } from '#platform';
import { Database, type Queryable } from '../../database';
import { array, bool, float8, int4, int8, jsonText, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';
import type { Search } from '../partners/partner-walk';
import { duePartners, EVERYWHERE, type DuePeerRow } from './due-partners';
import { GroupFanOutRepository } from '../shares/group-fan-out.repository';
import { ContentChangeRepository } from './content-change.repository';
import { supersedeReplaced } from './replaced-meanwhile';
import { ShareEventRepository } from './share-event.repository';
import { keepsCopiesSql } from '../partners/copies-sql';
import { noteAnswered } from '../shares/offer-arrival';

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

/** A partner whose messages wait only for the rate limit. */
interface LimitedPartner {
  readonly peerId: number;
  readonly inMs: number;
}

/** Messages for the queue now, and the time at which there may be more of them. */
export interface Dispatched {
  readonly messages: readonly QueuedMessage[];
  readonly limited: readonly LimitedPartner[];
  /** Partners that were not looked at: they come next. */
  readonly rest: Search;
  /** Milliseconds until messages have to be written, for example after more changes; null for none. */
  readonly moreInMs: number | null;
}

/**
 * Sources of messages that are not in the outbox yet. Changed content is looked up in its order, because PostgreSQL would otherwise read
 * the whole table, which has a row for each share: it expects many changes that nobody was told of.
 */
const TO_WRITE = statement({
  name: 'outbox_dispatch.to_write',
  row: { groups: bool, events: bool, changes: bool },
  sql: `SELECT EXISTS (SELECT FROM group_share_due) AS groups, EXISTS (SELECT FROM share_event) AS events,
     (SELECT changed_at FROM content_change WHERE told_revision < revision ORDER BY changed_at LIMIT 1) IS NOT NULL AS changes`,
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
  row: { id: int8, offeredShareId: nullable(int8) },
  sql: `UPDATE outbox_message m SET state = 'pending', lease_until = NULL,
     available_at = CASE WHEN m.state = 'inflight' AND m.kind = 'share-create' AND ${keepsCopiesSql('p', ':withoutCopies')}
       THEN now() + :pauseAfterDoubtMs::int * interval '1 millisecond' ELSE now() END,
     maybe_delivered = m.maybe_delivered OR m.state = 'inflight'
   FROM peer p
   WHERE p.id = m.peer_id AND m.id IN (SELECT id FROM outbox_message WHERE state IN ('queued', 'inflight') AND lease_until < now()
     ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
   RETURNING m.id, CASE m.kind WHEN 'share-create' THEN m.subject_id END AS "offeredShareId"`,
});
const GIVE_BACK = statement({
  name: 'outbox_dispatch.give_back',
  params: { messageIds: array(int8), rounds: array(int4) },
  sql: `UPDATE outbox_message m SET state = 'pending', lease_until = NULL
   FROM unnest(:messageIds::bigint[], :rounds::int[]) AS returned (id, round)
   WHERE m.id = returned.id AND m.round = returned.round AND m.state = 'queued'`,
});

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
   * @param search where messages may be; it costs as much as there are partners in it
   */
  async dispatch(leaseMs: number, search = EVERYWHERE): Promise<Dispatched> {
    const moreInMs = await this.writeMessages();
    return { ...(await this.dispatchWritten(leaseMs, search)), moreInMs };
  }

  /** Writes messages from due shares with groups, events and changed content. @returns milliseconds until more are due; null for none */
  private async writeMessages(): Promise<number | null> {
    const [waiting] = await this.database.rows(TO_WRITE);
    const { groups, events, changes } = waiting!;
    const groupsInMs = groups ? await this.followGroups() : null;
    if (groups || events) await this.events.handleAll();
    return earlier(groupsInMs, changes ? await this.contentChanges.writeDue() : null);
  }

  /** Shares with large groups are handled in steps, and other messages are dispatched in between. @returns 0 if more is due */
  private async followGroups(): Promise<number | null> {
    for (let step = 0; step < GROUP_STEPS; step++) if (!(await this.groups.step())) return null;
    return 0;
  }

  private async dispatchWritten(leaseMs: number, search: Search): Promise<Omit<Dispatched, 'moreInMs'>> {
    if (search.peers.length === 0 && search.after === null)
      return { messages: [], limited: [], rest: search };
    // A dispatch that a crash of Postgres undoes is made again.
    return this.database.transaction(
      async (transaction) => {
        const { due, rest } = await duePartners(transaction, search);
        if (due.length === 0) return { messages: [], limited: [], rest };
        const candidates = await transaction.rows(FIRST_OF_SUBJECTS, {
          ids: due.map((peer) => peer.id),
          rooms: due.map((peer) => peer.concurrency - peer.under_way),
        });
        const { admitted, limited } = await admitAll(transaction, due, candidates);
        const messages = admitted.length > 0 ? await transaction.last.rows(QUEUE, { admitted, leaseMs }) : [];
        return { messages, limited, rest };
      },
      { commitsLazily: true },
    );
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
  async reclaim(): Promise<number> {
    const reclaimed = await this.database.transaction(async (transaction) => {
      const rows = await transaction.rows(RECLAIM, {
        withoutCopies: WITHOUT_COPIES,
        pauseAfterDoubtMs: PAUSE_AFTER_DOUBT_MS,
      });
      await supersedeReplaced(
        transaction,
        rows.map(({ id }) => id),
      );
      return rows;
    });
    // In a transaction of its own, because shares are locked before messages.
    const offered = reclaimed.flatMap(({ offeredShareId }) => offeredShareId ?? []);
    if (offered.length > 0)
      await this.database.transaction((transaction) => noteAnswered(transaction, offered));
    return reclaimed.length;
  }
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

async function admitAll(
  transaction: Queryable,
  peers: readonly DuePeerRow[],
  candidates: readonly { id: number; host_id: number }[],
): Promise<{ admitted: number[]; limited: LimitedPartner[] }> {
  const byHost = Map.groupBy(candidates, (candidate) => candidate.host_id);
  const decisions = peers.flatMap((peer) => {
    const own = byHost.get(peer.id);
    if (!own) return [];
    const limits = { concurrency: peer.concurrency, perSecond: peer.rate_per_second, burst: peer.rate_burst };
    const admission = admit(peer.gate, limits, own.length, peer.under_way, peer.now_ms);
    return [{ ...admission, id: peer.id, chosen: own.slice(0, admission.admitted) }];
  });
  if (decisions.length > 0) await saveGates(transaction, decisions);
  return {
    admitted: decisions.flatMap(({ chosen }) => chosen.map((candidate) => candidate.id)),
    limited: decisions.flatMap(({ id, parkedUntilMs }) =>
      parkedUntilMs === null ? [] : [{ peerId: id, inMs: parkedUntilMs - peers[0]!.now_ms }],
    ),
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
