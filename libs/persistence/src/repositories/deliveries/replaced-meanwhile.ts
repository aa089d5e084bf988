import { MESSAGE_KINDS, MESSAGES } from '#federation/exchange';
import type { Queryable } from '../../database';
import { array, int8 } from '../../postgres-types';
import { statement } from '../../statement';

/** Pairs of kinds: a message of the first one replaces an unsent earlier one of the second. */
const REPLACING = MESSAGE_KINDS.flatMap((kind) =>
  MESSAGES[kind].supersedes.map((earlier) => `('${kind}', '${earlier}')`),
).join(', ');

/** The later message takes over the pause: a partner that may still be working on the earlier one does not know its share yet. */
const SUPERSEDE = statement({
  name: 'replaced_meanwhile.supersede',
  params: { messageIds: array(int8) },
  sql: `WITH replaced AS (
     UPDATE outbox_message m SET state = 'superseded', finished_at = now()
     WHERE m.id = ANY(:messageIds::bigint[]) AND m.state = 'pending' AND EXISTS (SELECT FROM outbox_message later
       WHERE later.subject_type = m.subject_type AND later.subject_id = m.subject_id AND later.id > m.id
         AND later.state IN ('pending', 'queued') AND (later.kind, m.kind) IN (VALUES ${REPLACING}))
     RETURNING m.id, m.subject_type, m.subject_id, m.available_at
   )
   UPDATE outbox_message later SET available_at = greatest(later.available_at, replaced.available_at) FROM replaced
   WHERE later.subject_type = replaced.subject_type AND later.subject_id = replaced.subject_id AND later.id > replaced.id
     AND later.state = 'pending'`,
});

/**
 * Withdraws messages that wait again after an attempt, if a later message replaced them during the attempt: an offer of a share that has
 * ended is not repeated. Called in a statement of its own after the messages were locked, so that it sees every later message.
 */
export async function supersedeReplaced(
  transaction: Queryable,
  messageIds: readonly number[],
): Promise<void> {
  if (messageIds.length > 0) await transaction.rows(SUPERSEDE, { messageIds });
}
