import {
  BEGINNINGS,
  givenUp,
  MESSAGE_KINDS,
  MESSAGES,
  shareProgress,
  type MessageKind,
  type Subject,
} from '#federation/exchange';
import { parseCloudId } from '#federation/protocol';
import { phrase, SHARE_TYPES } from '#sharing';
import type { Queryable } from '../../database';
import { array, bool, filtered, int4, int8, nullable, text, textOf, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { storedCanonical } from '../partners/present-canonical';
import { DROP_FOLLOWING, showsMessage } from './delivery-statements';
import { notifyOfUndelivered } from './share-request-settlement';

const FEDERATED = SHARE_TYPES.federated;

/** A message that an operator gives up. */
export const CANCELLED_MESSAGE = {
  id: int8,
  kind: textOf<MessageKind>(),
  subjectType: textOf<Subject['type']>(),
  subjectId: int8,
  revision: int4,
  attempts: int4,
  maybeDelivered: bool,
};
type CancelledMessage = RowOf<typeof CANCELLED_MESSAGE>;

/** Locks the shares of messages: before the messages, as writers of messages do. */
const LOCK_SHARES = statement({
  name: 'decided_deliveries.lock_shares',
  params: { messageIds: array(int8) },
  sql: `SELECT id FROM share WHERE id = ANY (ARRAY(
     SELECT subject_id FROM outbox_message WHERE id = ANY(:messageIds::bigint[]) AND subject_type = 'share')) ORDER BY id FOR NO KEY UPDATE`,
});

const SHOW_GIVEN_UP = statement({
  name: 'decided_deliveries.show_given_up',
  params: { id: int8, revision: int4, state: text, error: nullable(text), frees: bool, drops: bool },
  sql: `UPDATE share SET delivery_state = :state, delivery_error = :error, delivery_next_attempt = NULL,
     recipient_canonical = CASE WHEN :frees THEN NULL ELSE recipient_canonical END
   WHERE id = :id AND share_type = ${FEDERATED} AND ${showsMessage('revision', ':revision', ':drops')}`,
});

const SHOWN = MESSAGE_KINDS.filter((kind) => !['nothing', 'end'].includes(MESSAGES[kind].shows));
const SHOW_WAITING = statement({
  name: 'decided_deliveries.show_waiting',
  params: { messageIds: array(int8) },
  sql: `UPDATE share s SET delivery_state = 'pending', delivery_next_attempt = NULL FROM outbox_message m
   WHERE m.id = ANY(:messageIds::bigint[]) AND m.subject_type = 'share' AND m.kind = ANY('{${SHOWN.join()}}') AND s.id = m.subject_id
     AND s.share_type = ${FEDERATED}`,
});

/** Offers whose shares lost their recipient when they were given up, so that a new share with the recipient was possible. */
const FREED = statement({
  name: 'decided_deliveries.freed',
  params: { messageIds: array(int8) },
  row: { messageId: int8, shareId: int8, recipient: filtered(text) },
  sql: `SELECT m.id AS "messageId", s.id AS "shareId", s.recipient FROM outbox_message m JOIN share s ON s.id = m.subject_id
   WHERE m.id = ANY(:messageIds::bigint[]) AND m.subject_type = 'share' AND m.kind = ANY('{${BEGINNINGS.join()}}') AND s.share_type = ${FEDERATED}
     AND s.recipient_canonical IS NULL AND s.recipient IS NOT NULL AND s.group_share_id IS NULL`,
});
const TAKE_RECIPIENTS = statement({
  name: 'decided_deliveries.take_recipients',
  params: { ids: array(int8), canonicals: array(text) },
  row: { id: int8 },
  sql: `UPDATE share taken SET recipient_canonical = free.canonical FROM (
     SELECT DISTINCT ON (s.node_id, given.canonical) s.id, given.canonical
     FROM (SELECT id, ${storedCanonical('one.canonical')} AS canonical FROM unnest(:ids::bigint[], :canonicals::text[]) AS one (id, canonical)) given
     JOIN share s ON s.id = given.id
     WHERE NOT EXISTS (SELECT FROM share other WHERE other.node_id = s.node_id AND other.share_type = ${FEDERATED}
       AND other.recipient_canonical = given.canonical)
     ORDER BY s.node_id, given.canonical, s.id DESC) free
   WHERE taken.id = free.id RETURNING taken.id`,
});

const WORDS = phrase('givenUpByOperator', {});

/** Locks the shares of these messages, for a decision about the messages. */
export async function lockSharesOf(transaction: Queryable, messageIds: readonly number[]): Promise<void> {
  await transaction.rows(LOCK_SHARES, { messageIds });
}

/** Records with its subject that a message is not tried any more, as after a last attempt. */
export async function showGivenUp(transaction: Queryable, message: CancelledMessage): Promise<void> {
  const { id, kind, subjectType, subjectId, revision } = message;
  const settlement = givenUp(message, { errorClass: null, message: WORDS });
  const { dropsFollowing: drops, message: error } = settlement;
  if (drops) await transaction.rows(DROP_FOLLOWING, { ids: [id] });
  const progress = subjectType === 'share' ? shareProgress(kind, settlement) : undefined;
  if (progress) {
    const { deliveryState: state, freesRecipient: frees } = progress;
    await transaction.rows(SHOW_GIVEN_UP, { id: subjectId, revision, state, error, frees, drops });
  }
  if (subjectType === 'share-request')
    await notifyOfUndelivered(transaction, [
      { message: { subject: { type: subjectType, id: subjectId } }, settlement },
    ]);
}

/**
 * Gives the shares of given-up offers their recipients back, before the offers are sent again.
 * @returns the messages without those whose recipient has another share of the node by now
 */
export async function withRecipients(
  transaction: Queryable,
  messageIds: readonly number[],
): Promise<readonly number[]> {
  const freed = await transaction.rows(FREED, { messageIds });
  if (freed.length === 0) return messageIds;
  const taken = await transaction.rows(TAKE_RECIPIENTS, {
    ids: freed.map(({ shareId }) => shareId),
    canonicals: freed.map(({ recipient }) => parseCloudId(recipient).canonical),
  });
  const ids = new Set(taken.map(({ id }) => id));
  const others = new Set(freed.filter(({ shareId }) => !ids.has(shareId)).map(({ messageId }) => messageId));
  return messageIds.filter((id) => !others.has(id));
}

/** Shows the shares of messages that are sent again as waiting. */
export async function showWaiting(transaction: Queryable, messageIds: readonly number[]): Promise<void> {
  await transaction.rows(SHOW_WAITING, { messageIds });
}
