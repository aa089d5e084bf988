import type { Queryable } from '../../database';
import { array, int8 } from '../../postgres-types';
import { statement } from '../../statement';

const ANNOUNCE_PROBES = statement({
  name: 'received_share.announce_probes',
  params: { peerIds: array(int8) },
  sql: `SELECT pg_notify('drawbridge_changes', 'look:' || peer) FROM unnest(:peerIds::bigint[]) AS peer`,
});

/** Wakes workers to look for due probes of these shares, without waiting for their next round. */
export async function announceProbes(
  transaction: Queryable,
  shares: readonly { readonly peerId: number }[],
): Promise<void> {
  if (shares.length === 0) return;
  const peerIds = [...new Set(shares.map(({ peerId }) => peerId))];
  await transaction.rows(ANNOUNCE_PROBES, { peerIds });
}
