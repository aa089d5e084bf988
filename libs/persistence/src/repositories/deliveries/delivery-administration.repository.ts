import type { MessageKind, MessageState } from '#federation/exchange';
import type { ErrorClass } from '#federation/protocol';
import type { Database } from '../../database';
import {
  array,
  bool,
  int2,
  int4,
  int8,
  jsonText,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
  type ValuesOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import {
  CANCELLED_MESSAGE,
  lockSharesOf,
  showGivenUp,
  showWaiting,
  withRecipients,
} from './decided-deliveries';
import { IS_LATEST, LIFETIMES, SENT_AGAIN } from './replay-sql';

/** A message for operators, without its payload and secret. */
const ADMINISTERED_DELIVERY = {
  id: int8,
  host: text,
  kind: textOf<MessageKind>(),
  subject: text,
  state: textOf<MessageState>(),
  attempts: int4,
  errorClass: nullable(textOf<ErrorClass>()),
  error: nullable(text),
  nextAttempt: nullable(timestamptz),
  created: timestamptz,
};
export type AdministeredDelivery = RowOf<typeof ADMINISTERED_DELIVERY>;

const ADMINISTERED_ATTEMPT = {
  attempt: int4,
  at: timestamptz,
  outcome: text,
  errorClass: nullable(textOf<ErrorClass>()),
  error: nullable(text),
  endpoint: nullable(text),
  dialect: nullable(text),
  httpStatus: nullable(int2),
  durationMs: nullable(int4),
  excerpt: nullable(text),
};

/** Selects messages; an absent member means all. */
export interface DeliverySelection {
  readonly host?: string;
  readonly states?: readonly MessageState[];
  readonly errorClass?: string;
  /** Id of one of our shares. */
  readonly share?: number;
}

const COLUMNS = `m.id, p.host_key AS host, m.kind, m.subject_type || '/' || m.subject_id AS subject, m.state, m.attempts,
  m.error_class AS "errorClass", m.error_message AS error, CASE WHEN m.state = 'pending' THEN m.available_at END AS "nextAttempt",
  m.created_at AS created`;

const LIST = statement({
  name: 'delivery_administration.list',
  params: {
    host: nullable(text),
    states: nullable(array(text)),
    errorClass: nullable(text),
    share: nullable(int8),
    after: int8,
    limit: int8,
  },
  row: ADMINISTERED_DELIVERY,
  sql: `SELECT ${COLUMNS} FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE (:host::text IS NULL OR p.host_key = :host) AND (:states::text[] IS NULL OR m.state = ANY(:states)) AND (:errorClass::text IS NULL OR m.error_class = :errorClass)
     AND (:share::bigint IS NULL OR (m.subject_type = 'share' AND m.subject_id = :share)) AND m.id > :after ORDER BY m.id LIMIT :limit`,
});
const FOUND_DELIVERY = {
  ...ADMINISTERED_DELIVERY,
  dedupeKey: text,
  deadline: timestamptz,
  maybeDelivered: bool,
  /** Id and trace context of the request that caused it. */
  origin: nullable(text),
};
const FIND = statement({
  name: 'delivery_administration.find',
  params: { messageId: int8 },
  row: FOUND_DELIVERY,
  sql: `SELECT ${COLUMNS}, m.dedupe_key AS "dedupeKey", m.deadline_at AS deadline, m.maybe_delivered AS "maybeDelivered", m.origin
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id WHERE m.id = :messageId`,
});
const ATTEMPTS = statement({
  name: 'delivery_administration.attempts',
  params: { messageId: int8 },
  row: ADMINISTERED_ATTEMPT,
  sql: `SELECT attempt, at, outcome, error_class AS "errorClass", error_message AS error, endpoint, dialect, http_status AS "httpStatus",
     duration_ms AS "durationMs", excerpt FROM delivery_attempt WHERE message_id = :messageId ORDER BY attempt, at`,
});
const LAST_FAILURES = statement({
  name: 'delivery_administration.last_failures',
  params: { host: text, limit: int8 },
  row: { messageId: int8, ...ADMINISTERED_ATTEMPT },
  sql: `SELECT a.message_id AS "messageId", a.attempt, a.at, a.outcome, a.error_class AS "errorClass", a.error_message AS error, a.endpoint, a.dialect,
     a.http_status AS "httpStatus", a.duration_ms AS "durationMs", a.excerpt
   FROM (SELECT m.id FROM outbox_message m JOIN peer p ON p.id = m.peer_id WHERE p.host_key = :host AND m.error_class IS NOT NULL
     ORDER BY m.id DESC LIMIT :limit) failed JOIN delivery_attempt a ON a.message_id = failed.id
   WHERE a.error_class IS NOT NULL ORDER BY a.at DESC LIMIT :limit`,
});
const RETRY = statement({
  name: 'delivery_administration.retry',
  params: { messageId: int8 },
  row: { id: int8 },
  sql: `WITH retried AS (UPDATE outbox_message SET available_at = now() WHERE id = :messageId AND state = 'pending' RETURNING id),
     announced AS (SELECT pg_notify('drawbridge_changes', 'outbox:') FROM retried)
   SELECT retried.id FROM retried, announced`,
});
const CANCEL = statement({
  name: 'delivery_administration.cancel',
  params: { messageId: int8 },
  row: CANCELLED_MESSAGE,
  sql: `UPDATE outbox_message SET state = 'cancelled', finished_at = now(), lease_until = NULL
   WHERE id = :messageId AND state IN ('pending', 'queued')
   RETURNING id, kind, subject_type AS "subjectType", subject_id AS "subjectId", revision, attempts, maybe_delivered AS "maybeDelivered"`,
});
const SELECTED = {
  messageId: nullable(int8),
  host: nullable(text),
  errorClass: nullable(text),
  share: nullable(int8),
};
const REPLAYABLE = statement({
  name: 'delivery_administration.replayable',
  params: SELECTED,
  row: { id: int8 },
  sql: `SELECT m.id FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.state IN ('dead', 'refused', 'not-sent', 'cancelled')
     AND (:messageId::bigint IS NULL OR m.id = :messageId) AND (:host::text IS NULL OR p.host_key = :host) AND (:errorClass::text IS NULL OR m.error_class = :errorClass)
     AND (:share::bigint IS NULL OR (m.subject_type = 'share' AND m.subject_id = :share))
     AND (:messageId::bigint IS NOT NULL OR m.state = 'dead')
     AND ${IS_LATEST}`,
});
const REPLAY = statement({
  name: 'delivery_administration.replay',
  params: { messageIds: array(int8), lifetimes: jsonText },
  row: { id: int8 },
  sql: `WITH replayed AS (
     UPDATE outbox_message m SET ${SENT_AGAIN}
     WHERE m.id = ANY(:messageIds::bigint[]) AND m.state IN ('dead', 'refused', 'not-sent', 'cancelled') AND ${IS_LATEST}
     RETURNING m.id
   ), announced AS (SELECT pg_notify('drawbridge_changes', 'outbox:') FROM replayed LIMIT 1)
   SELECT id FROM replayed LEFT JOIN announced ON true`,
});

/** Messages to partners, for operators. */
export class DeliveryAdministrationRepository {
  constructor(private readonly database: Database) {}

  /** Messages behind `after`, in the order of writing. */
  list(selection: DeliverySelection, after: number, limit: number): Promise<AdministeredDelivery[]> {
    const { host, states, errorClass, share } = selection;
    return this.database.rows(LIST, {
      host: host ?? null,
      states: states ?? null,
      errorClass: errorClass ?? null,
      share: share ?? null,
      after,
      limit,
    });
  }

  /** One message with all its attempts. */
  async find(messageId: number) {
    const [message] = await this.database.rows(FIND, { messageId });
    return message && { ...message, tries: await this.database.rows(ATTEMPTS, { messageId }) };
  }

  /** The newest failed attempts, taken from the messages to a partner that failed last. */
  lastFailures(host: string, limit: number) {
    return this.database.rows(LAST_FAILURES, { host, limit });
  }

  /** Makes a waiting message due now. @returns whether it was waiting */
  async retry(messageId: number): Promise<boolean> {
    return (await this.database.rows(RETRY, { messageId })).length > 0;
  }

  /** Gives up a message that is not being sent. @returns whether there was one */
  cancel(messageId: number): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await lockSharesOf(transaction, [messageId]);
      const [cancelled] = await transaction.rows(CANCEL, { messageId });
      if (cancelled) await showGivenUp(transaction, cancelled);
      return cancelled !== undefined;
    });
  }

  /** Sends a message again that was given up, refused or cancelled. @returns whether there was one */
  async replay(messageId: number): Promise<boolean> {
    return (await this.replayAll({ messageId, host: null, errorClass: null, share: null })) > 0;
  }

  /** Sends given-up messages again. @returns how many */
  replayDead({ host, errorClass, share }: Omit<DeliverySelection, 'states'>): Promise<number> {
    return this.replayAll({
      messageId: null,
      host: host ?? null,
      errorClass: errorClass ?? null,
      share: share ?? null,
    });
  }

  private replayAll(selected: ValuesOf<typeof SELECTED>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const messageIds = idsOf(await transaction.rows(REPLAYABLE, selected));
      await lockSharesOf(transaction, messageIds);
      const wanted = await withRecipients(transaction, messageIds);
      const replayed = idsOf(await transaction.rows(REPLAY, { messageIds: wanted, lifetimes: LIFETIMES }));
      await showWaiting(transaction, replayed);
      return replayed.length;
    });
  }
}

const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);
