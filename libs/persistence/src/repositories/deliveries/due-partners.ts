import type { Gate } from '#federation/exchange';
import type { Queryable } from '../../database';
import { array, float4, float8, int2, int4, int8, jsonb, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { messagesUnderWay, partnerWalk, walkOn, type Search } from '../partners/partner-walk';

export const EVERYWHERE: Search = { peers: [], after: 0 };

/** Partners with waiting messages. */
export const WALK = partnerWalk('outbox_dispatch.walk', {
  table: 'outbox_message',
  dueAt: 'available_at',
  where: `state = 'pending'`,
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
  goesWithBegin: true,
  plannedOnce: true,
  params: { peers: array(int8) },
  row: DUE_PEER_ROW,
  sql: `WITH hosts AS MATERIALIZED (
     SELECT DISTINCT a.host_id FROM peer a WHERE a.id = ANY (:peers::bigint[])
   ), looked_at AS MATERIALIZED (
     SELECT hosts.host_id, messages.available_at, messages.under_way FROM hosts CROSS JOIN LATERAL (SELECT
       min((SELECT m.available_at FROM outbox_message m WHERE m.peer_id = a.id AND m.state = 'pending' ORDER BY m.available_at LIMIT 1)) AS available_at,
       sum(${messagesUnderWay('a.id')})::int AS under_way
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

export interface DuePartners {
  readonly due: readonly DuePeerRow[];
  /** Partners that were not looked at. */
  readonly rest: Search;
}

/** Looks at some partners of a search, and locks those that get messages now. */
export async function duePartners(transaction: Queryable, search: Search): Promise<DuePartners> {
  const { peers, after } = await walkOn(transaction, WALK, search);
  const asked = peers.slice(0, PEERS_AT_ONCE);
  const due = asked.length > 0 ? await transaction.rows(DUE_PEERS, { peers: asked }) : [];
  return { due, rest: { peers: peers.slice(PEERS_AT_ONCE), after } };
}
