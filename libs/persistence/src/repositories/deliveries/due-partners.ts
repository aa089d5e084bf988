import type { Gate } from '#federation/exchange';
import type { Queryable } from '../../database';
import { array, bool, float4, float8, int2, int4, int8, jsonb, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

/** Partners that may have messages for the queue. */
export interface Search {
  /** Ids of partners to look at. */
  readonly peers: readonly number[];
  /** All partners with waiting messages and a higher id follow; null if no others do. */
  readonly after: number | null;
}
export const EVERYWHERE: Search = { peers: [], after: 0 };

/**
 * Partners with waiting messages. It steps through the index of waiting messages from one partner to the next, and reads the first message
 * of each: partners without messages cost nothing, and many messages of one partner cost no more than one.
 */
export const WALK = statement({
  name: 'outbox_dispatch.walk',
  params: { after: int8, steps: int4 },
  row: { peer_id: int8, is_due: bool },
  sql: `WITH RECURSIVE waiting AS (
     (SELECT m.peer_id, m.available_at, 1 AS step FROM outbox_message m WHERE m.state = 'pending' AND m.peer_id > :after
       ORDER BY m.peer_id, m.available_at LIMIT 1)
     UNION ALL
     SELECT following.peer_id, following.available_at, one.step + 1 FROM waiting one CROSS JOIN LATERAL (SELECT m.peer_id, m.available_at
       FROM outbox_message m WHERE m.state = 'pending' AND m.peer_id > one.peer_id ORDER BY m.peer_id, m.available_at LIMIT 1) following
     WHERE one.step < :steps
   )
   SELECT peer_id, available_at <= now() AS is_due FROM waiting`,
});

const DUE_PEER_ROW = {
  id: int8,
  concurrency: int2,
  rate_per_second: float4,
  rate_burst: int4,
  gate: jsonb<Gate>(),
  under_way: int4,
  now_ms: float8,
};
export type DuePeerRow = RowOf<typeof DUE_PEER_ROW>;

/** Uses the database's clock, so that the clocks of workers need not agree. */
const NOW_MS = `(extract(epoch FROM clock_timestamp()) * 1000)::double precision`;

/**
 * Those hosts of some partners that have due messages, for any of their addresses, and room for them. The planner cannot know how few
 * messages a partner has, so they are looked up for each partner rather than joined.
 */
export const DUE_PEERS = statement({
  name: 'outbox_dispatch.due_peers',
  plannedOnce: true,
  params: { peers: array(int8) },
  row: DUE_PEER_ROW,
  sql: `WITH hosts AS MATERIALIZED (
     SELECT DISTINCT a.host_id FROM peer a WHERE a.id = ANY (:peers::bigint[])
   ), looked_at AS MATERIALIZED (
     SELECT hosts.host_id, messages.available_at, messages.under_way FROM hosts CROSS JOIN LATERAL (SELECT
       min((SELECT m.available_at FROM outbox_message m WHERE m.peer_id = a.id AND m.state = 'pending' ORDER BY m.available_at LIMIT 1)) AS available_at,
       sum((SELECT count(*) FROM outbox_message m WHERE m.peer_id = a.id AND m.state IN ('queued', 'inflight')))::int AS under_way
       FROM peer a WHERE a.host_id = hosts.host_id) messages
   ), due AS MATERIALIZED (
     SELECT host_id, available_at, under_way FROM looked_at WHERE available_at <= now()
   )
   SELECT p.id, p.concurrency, p.rate_per_second, p.rate_burst, p.gate, due.under_way, ${NOW_MS} AS now_ms
   FROM due JOIN peer p ON p.id = due.host_id
   WHERE p.id = ANY (ARRAY(SELECT host_id FROM due)) AND NOT p.paused AND (p.parked_until IS NULL OR p.parked_until <= now())
     AND due.under_way < p.concurrency
   ORDER BY due.available_at
   FOR NO KEY UPDATE OF p SKIP LOCKED`,
});

const PEERS_AT_ONCE = 200;
const STEPS_AT_ONCE = 500;

export interface DuePartners {
  readonly due: readonly DuePeerRow[];
  /** Partners that were not looked at. */
  readonly rest: Search;
}

/** Looks at some partners of a search, and locks those that get messages now. */
export async function duePartners(transaction: Queryable, search: Search): Promise<DuePartners> {
  const { peers, after } = await walked(transaction, search);
  const asked = peers.slice(0, PEERS_AT_ONCE);
  const due = asked.length > 0 ? await transaction.rows(DUE_PEERS, { peers: asked }) : [];
  return { due, rest: { peers: peers.slice(PEERS_AT_ONCE), after } };
}

async function walked(transaction: Queryable, { peers, after }: Search): Promise<Search> {
  // Also beside many named partners: otherwise those that always have something would be the only ones.
  if (after === null) return { peers, after };
  const steps = await transaction.rows(WALK, { after, steps: STEPS_AT_ONCE });
  const found = steps.flatMap(({ peer_id: id, is_due: isDue }) => (isDue ? [id] : []));
  return {
    peers: [...new Set([...peers, ...found])],
    after: steps.length < STEPS_AT_ONCE ? null : steps.at(-1)!.peer_id,
  };
}
