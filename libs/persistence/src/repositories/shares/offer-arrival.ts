import { DELIVERED_BY_ACCESS } from '#federation/exchange';
import { SHARE_TYPES } from '#sharing';
import type { Queryable } from '../../database';
import { array, int8, text } from '../../postgres-types';
import { statement } from '../../statement';

/** The arrival of the offer is not known yet; `deliveredByAccess` are the states in which that is possible. */
export const unheard = (alias: string): string =>
  `(${alias}.delivered_at IS NULL AND ${alias}.delivery_state = ANY(:deliveredByAccess::text[]))`;

/** An attempt that is under way records its result itself. */
export const NO_OFFER_UNDER_WAY = `NOT EXISTS (SELECT FROM outbox_message m WHERE m.subject_type = 'share' AND m.subject_id = share.id
       AND m.kind = 'share-create' AND m.state = 'inflight')`;

/** A recipient who accepted the offer, or was shown it, has it. */
const NOTE_ANSWERED = statement({
  name: 'offer_arrival.note_answered',
  params: { shareIds: array(int8), deliveredByAccess: array(text) },
  row: { id: int8 },
  sql: `UPDATE share SET delivery_state = 'delivered', delivery_next_attempt = NULL, delivery_error = NULL, delivered_at = now()
   WHERE id = ANY(:shareIds::bigint[]) AND share_type = ${SHARE_TYPES.federated} AND (acceptance = 'accepted' OR seen_at IS NOT NULL)
     AND ${unheard('share')} AND ${NO_OFFER_UNDER_WAY}
   RETURNING id`,
});

/** A repeated offer would make a second share at partners that do not notice repetitions. */
const STOP_OFFERING = statement({
  name: 'offer_arrival.stop_offering',
  params: { shareIds: array(int8) },
  sql: `UPDATE outbox_message SET state = 'superseded', finished_at = coalesce(finished_at, now()), lease_until = NULL
   WHERE subject_type = 'share' AND subject_id = ANY(:shareIds::bigint[]) AND kind = 'share-create'
     AND state IN ('pending', 'queued', 'dead', 'cancelled')`,
});

/** Withdraws the offers of shares that are known to have arrived. */
export async function stopOffering(transaction: Queryable, shareIds: readonly number[]): Promise<void> {
  if (shareIds.length > 0) await transaction.rows(STOP_OFFERING, { shareIds });
}

/** Notes that the offers of these shares arrived, as far as their recipients' answers prove it, and makes them no more. */
export async function noteAnswered(transaction: Queryable, shareIds: readonly number[]): Promise<void> {
  if (shareIds.length === 0) return;
  const arrived = await transaction.rows(NOTE_ANSWERED, { shareIds, deliveredByAccess: DELIVERED_BY_ACCESS });
  await stopOffering(
    transaction,
    arrived.map(({ id }) => id),
  );
}
