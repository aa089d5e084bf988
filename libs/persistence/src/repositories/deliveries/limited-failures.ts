import type { DeliveryOutcome } from '#federation/exchange';
import type { Queryable } from '../../database';
import { array, int4, int8, text } from '../../postgres-types';
import { statement } from '../../statement';

interface Attempted {
  readonly message: { readonly messageId: number };
  readonly outcome: DeliveryOutcome;
}

/** Counts attempts since the message was written or replayed. Attempts that never reached the partner have no endpoint. */
const SAME_FAILURES = statement({
  name: 'delivery.same_failures',
  params: { ids: array(int8), errorClass: array(text) },
  row: { id: int8, failures: int4 },
  sql: `SELECT m.id, count(*)::int AS failures
   FROM unnest(:ids::bigint[], :errorClass::text[]) AS wanted (id, error_class) JOIN outbox_message m ON m.id = wanted.id
   CROSS JOIN LATERAL (SELECT a.error_class, a.endpoint FROM delivery_attempt a
     WHERE a.message_id = m.id ORDER BY a.round DESC LIMIT m.attempts) made
   WHERE made.error_class = wanted.error_class AND made.endpoint IS NOT NULL GROUP BY m.id`,
});

/** Number of earlier failures of the same class, by message id, for classes with a limit; a missing id means 0. */
export async function sameFailures(
  transaction: Queryable,
  attempts: readonly Attempted[],
): Promise<ReadonlyMap<number, number>> {
  const limited = attempts.flatMap(({ message, outcome }) =>
    outcome.kind === 'retry' && outcome.repeatsAtMost !== undefined
      ? [{ id: message.messageId, errorClass: outcome.errorClass }]
      : [],
  );
  if (limited.length === 0) return new Map();
  const rows = await transaction.rows(SAME_FAILURES, {
    ids: limited.map(({ id }) => id),
    errorClass: limited.map(({ errorClass }) => errorClass),
  });
  return new Map(rows.map(({ id, failures }) => [id, failures]));
}
