import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import type { Queryable } from '../../database';
import { array, int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import { announceProbes } from '../shares/announce-probes';

export const LOCK_RECEIVED = statement({
  name: 'delivery.lock_received',
  goesWithBegin: true,
  plannedOnce: true,
  params: { receivedShareIds: array(int8) },
  sql: 'SELECT id FROM received_share WHERE id = ANY(:receivedShareIds::bigint[]) ORDER BY id FOR NO KEY UPDATE',
});

/** A probe that is due needs no second one. A probe under way may have read the content before it changed. */
const PROBE_AGAIN = statement({
  name: 'delivery.probe_again',
  plannedOnce: true,
  params: { receivedShareIds: array(int8), capability: text },
  row: { peerId: int8 },
  sql: `UPDATE received_share r SET look_at = now() FROM peer p
   WHERE r.id = ANY(:receivedShareIds::bigint[]) AND r.state = 'accepted' AND r.look_at > now()
     AND p.id = r.peer_id AND coalesce(p.pinned_profile, p.profile) -> 'capabilities' ? :capability
   RETURNING r.peer_id AS "peerId"`,
});

/**
 * Schedules a probe of shares whose acceptance the owner's server knows now, if it reports changes: it did not report those that came
 * between the first probe and the acceptance. Other servers report none, so their shares are probed often anyway.
 */
export async function probeAccepted(
  transaction: Queryable,
  receivedShareIds: readonly number[],
): Promise<void> {
  if (receivedShareIds.length === 0) return;
  const values = { receivedShareIds: [...receivedShareIds], capability: TAKES_CONTENT_CHANGES };
  await announceProbes(transaction, await transaction.rows(PROBE_AGAIN, values));
}
