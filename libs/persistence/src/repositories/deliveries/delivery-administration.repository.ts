import type { ErrorClass, MessageKind, MessageState } from '#federation/delivery';
import type { Database } from '../../database';
import { statement } from '../../statement';

/** A message as operators see it; its payload and secret stay out. */
export interface AdministeredDelivery {
  readonly id: number;
  readonly host: string;
  readonly kind: MessageKind;
  readonly subject: string;
  readonly state: MessageState;
  readonly attempts: number;
  readonly errorClass: ErrorClass | null;
  readonly error: string | null;
  readonly nextAttempt: Date | null;
  readonly created: Date;
}

interface AdministeredAttempt {
  readonly attempt: number;
  readonly at: Date;
  readonly outcome: string;
  readonly errorClass: ErrorClass | null;
  readonly error: string | null;
  readonly endpoint: string | null;
  readonly dialect: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
  readonly excerpt: string | null;
}

/** Which messages are meant; what is left out means all. */
export interface DeliverySelection {
  readonly host?: string;
  readonly states?: readonly MessageState[];
  readonly errorClass?: string;
}

const COLUMNS = `m.id, p.host_key AS host, m.kind, m.subject_type || '/' || m.subject_id AS subject, m.state, m.attempts,
  m.error_class AS "errorClass", m.error_message AS error, CASE WHEN m.state = 'pending' THEN m.available_at END AS "nextAttempt",
  m.created_at AS created`;

const LIST = statement<AdministeredDelivery>(
  'delivery_administration.list',
  `SELECT ${COLUMNS} FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE ($1::text IS NULL OR p.host_key = $1) AND ($2::text[] IS NULL OR m.state = ANY($2)) AND ($3::text IS NULL OR m.error_class = $3)
     AND m.id > $4 ORDER BY m.id LIMIT $5`,
);
interface FoundDelivery extends AdministeredDelivery {
  readonly dedupeKey: string;
  readonly deadline: Date;
  readonly maybeDelivered: boolean;
  /** Id and trace context of the request that led to it. */
  readonly origin: string | null;
}
const FIND = statement<FoundDelivery>(
  'delivery_administration.find',
  `SELECT ${COLUMNS}, m.dedupe_key AS "dedupeKey", m.deadline_at AS deadline, m.maybe_delivered AS "maybeDelivered", m.origin
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id WHERE m.id = $1`,
);
const ATTEMPTS = statement<AdministeredAttempt>(
  'delivery_administration.attempts',
  `SELECT attempt, at, outcome, error_class AS "errorClass", error_message AS error, endpoint, dialect, http_status AS "httpStatus",
     duration_ms AS "durationMs", excerpt FROM delivery_attempt WHERE message_id = $1 ORDER BY attempt, at`,
);
const RETRY = statement<{ id: number }>(
  'delivery_administration.retry',
  `WITH retried AS (UPDATE outbox_message SET available_at = now() WHERE id = $1 AND state = 'pending' RETURNING id),
     told AS (SELECT pg_notify('drawbridge_changes', 'outbox:') FROM retried)
   SELECT retried.id FROM retried, told`,
);
const CANCEL = statement<{ id: number }>(
  'delivery_administration.cancel',
  `UPDATE outbox_message SET state = 'cancelled', finished_at = now(), lease_until = NULL
   WHERE id = $1 AND state IN ('pending', 'queued') RETURNING id`,
);
/**
 * A message goes out again only while nothing later of its subject was said or waits to be said: otherwise it would
 * tell the partner something outdated. Key, provider id and secret stay as they were; the time it is tried for starts anew.
 */
const REPLAY = statement<{ id: number }>(
  'delivery_administration.replay',
  `WITH replayed AS (
     UPDATE outbox_message m SET state = 'pending', attempts = 0, available_at = now(), finished_at = NULL,
       deadline_at = now() + (m.deadline_at - m.created_at)
     FROM peer p
     WHERE p.id = m.peer_id AND m.state IN ('dead', 'refused', 'not-sent', 'cancelled')
       AND ($1::bigint IS NULL OR m.id = $1) AND ($2::text IS NULL OR p.host_key = $2) AND ($3::text IS NULL OR m.error_class = $3)
       AND ($1::bigint IS NOT NULL OR m.state = 'dead')
       AND NOT EXISTS (SELECT FROM outbox_message later WHERE later.subject_type = m.subject_type AND later.subject_id = m.subject_id
         AND later.id > m.id AND later.state NOT IN ('cancelled', 'superseded'))
     RETURNING m.id
   ), told AS (SELECT pg_notify('drawbridge_changes', 'outbox:') FROM replayed LIMIT 1)
   SELECT id FROM replayed LEFT JOIN told ON true`,
);

/** Messages to partners, for operators. */
export class DeliveryAdministrationRepository {
  constructor(private readonly database: Database) {}

  /** Messages in the order in which they were written, those after `after`. */
  list(selection: DeliverySelection, after: number, limit: number): Promise<AdministeredDelivery[]> {
    const { host, states, errorClass } = selection;
    return this.database.rows(LIST, [host ?? null, states ?? null, errorClass ?? null, after, limit]);
  }

  /** One message with all its attempts. */
  async find(messageId: number) {
    const [message] = await this.database.rows(FIND, [messageId]);
    return message && { ...message, tries: await this.database.rows(ATTEMPTS, [messageId]) };
  }

  /** Makes a waiting message due now. @returns whether it waited */
  async retry(messageId: number): Promise<boolean> {
    return (await this.database.rows(RETRY, [messageId])).length > 0;
  }

  /** Ends a message that is not being sent. @returns whether it was one */
  async cancel(messageId: number): Promise<boolean> {
    return (await this.database.rows(CANCEL, [messageId])).length > 0;
  }

  /** Sends one message again that was given up, refused or cancelled. @returns whether it was one */
  async replay(messageId: number): Promise<boolean> {
    return (await this.database.rows(REPLAY, [messageId, null, null])).length > 0;
  }

  /** Sends messages again that were given up. @returns how many */
  async replayDead(selection: Omit<DeliverySelection, 'states'>): Promise<number> {
    const values = [null, selection.host ?? null, selection.errorClass ?? null];
    return (await this.database.rows(REPLAY, values)).length;
  }
}
