import type { Queryable } from '../../database';
import { bool, int4, int8 } from '../../postgres-types';
import { statement } from '../../statement';

/** Partners that may have something due. */
export interface Search {
  /** Ids of partners to look at. */
  readonly peers: readonly number[];
  /** All partners with rows of the walk and a higher id follow; null if no others do. */
  readonly after: number | null;
}

/** Rows of partners that become due, with an index that begins with `peer_id` and `dueAt`. */
interface WalkedRows {
  readonly table: string;
  /** Column with the time at which a row becomes due. */
  readonly dueAt: string;
  /** Condition of the index. */
  readonly where: string;
}

/**
 * Declares a walk along the partners that have rows. It steps through the index from one partner to the next, and reads the first row
 * of each: partners without rows cost nothing, and many rows of one partner cost no more than one.
 */
export const partnerWalk = (name: string, { table, dueAt, where }: WalkedRows) =>
  statement({
    name,
    params: { after: int8, steps: int4 },
    row: { peer_id: int8, is_due: bool },
    sql: `WITH RECURSIVE waiting AS (
     (SELECT peer_id, ${dueAt}, 1 AS step FROM ${table} WHERE ${where} AND peer_id > :after ORDER BY peer_id, ${dueAt} LIMIT 1)
     UNION ALL
     SELECT following.peer_id, following.${dueAt}, one.step + 1 FROM waiting one CROSS JOIN LATERAL (SELECT peer_id, ${dueAt}
       FROM ${table} WHERE ${where} AND peer_id > one.peer_id ORDER BY peer_id, ${dueAt} LIMIT 1) following
     WHERE one.step < :steps
   )
   SELECT peer_id, ${dueAt} <= now() AS is_due FROM waiting`,
  });

const STEPS_AT_ONCE = 500;

/** Takes some steps of a walk. @returns the search with the due partners that it found, after those that it already had */
export async function walkOn(
  transaction: Queryable,
  walk: ReturnType<typeof partnerWalk>,
  { peers, after }: Search,
): Promise<Search> {
  // Also beside many named partners: otherwise those that always have something would be the only ones.
  if (after === null) return { peers, after };
  const steps = await transaction.rows(walk, { after, steps: STEPS_AT_ONCE });
  const found = steps.flatMap(({ peer_id: id, is_due: isDue }) => (isDue ? [id] : []));
  return {
    peers: [...new Set([...peers, ...found])],
    after: steps.length < STEPS_AT_ONCE ? null : steps.at(-1)!.peer_id,
  };
}

/** Number of messages under way to one address of a partner. @param peer id of the address */
export const messagesUnderWay = (peer: string): string =>
  `(SELECT count(*) FROM outbox_message m WHERE m.peer_id = ${peer} AND m.state IN ('queued', 'inflight'))`;
