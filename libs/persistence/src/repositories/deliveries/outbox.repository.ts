import { Injectable } from '@nestjs/common';
import {
  BEGINNINGS,
  coalesce,
  MESSAGES,
  type MessageKind,
  type MessageState,
  type NewMessage,
  type Subject,
} from '#federation/exchange';
import type { ErrorClass } from '#federation/protocol';
import { originText } from '#platform';
import { Database, type Queryable } from '../../database';
import {
  array,
  bool,
  bytea,
  int4,
  int8,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { GETS_NO_MESSAGES } from '../partners/partner-gate.repository';

/** State of a message, for callers that wait for it. */
const MESSAGE_VERDICT = {
  state: textOf<MessageState>(),
  attempts: int4,
  errorClass: nullable(textOf<ErrorClass>()),
  /** The partner's text, or the failure. */
  message: nullable(text),
  reply: nullable(jsonb<Readonly<Record<string, unknown>>>()),
  /** Whether it waits because its partner gets no messages at the moment. */
  isHeld: bool,
};
export type MessageVerdict = RowOf<typeof MESSAGE_VERDICT>;

/** Serializes writers of one subject's messages, so that ids grow in the order of commits. */
const LOCK_SUBJECT = statement({
  name: 'outbox.lock_subject',
  params: { type: text, id: int8 },
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('outbox/' || :type || '/' || :id::bigint, 0))`,
});
const OPEN_OF_SUBJECT = statement({
  name: 'outbox.open_of_subject',
  params: { type: text, id: int8 },
  row: {
    messageId: int8,
    kind: textOf<MessageKind>(),
    state: textOf<MessageState>(),
    attempts: int4,
    maybeDelivered: bool,
  },
  sql: `SELECT id AS "messageId", kind, state, attempts, maybe_delivered AS "maybeDelivered" FROM outbox_message
   WHERE subject_type = :type AND subject_id = :id AND state IN ('pending', 'queued', 'inflight') ORDER BY id FOR NO KEY UPDATE`,
});
const LOCK_SUBJECTS = statement({
  name: 'outbox.lock_subjects',
  params: { types: array(text), ids: array(int8) },
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('outbox/' || s.type || '/' || s.id, 0))
   FROM (SELECT DISTINCT type, id FROM unnest(:types::text[], :ids::bigint[]) AS given (type, id) ORDER BY type, id) s`,
});
const OPEN_OF_SUBJECTS = statement({
  name: 'outbox.open_of_subjects',
  params: { types: array(text), ids: array(int8) },
  row: {
    subjectType: textOf<Subject['type']>(),
    subjectId: int8,
    messageId: int8,
    kind: textOf<MessageKind>(),
    state: textOf<MessageState>(),
    attempts: int4,
    maybeDelivered: bool,
  },
  sql: `SELECT m.subject_type AS "subjectType", m.subject_id AS "subjectId", m.id AS "messageId", m.kind, m.state, m.attempts, m.maybe_delivered AS "maybeDelivered"
   FROM unnest(:types::text[], :ids::bigint[]) AS given (type, id) JOIN outbox_message m ON m.subject_type = given.type AND m.subject_id = given.id
   WHERE m.state IN ('pending', 'queued', 'inflight') ORDER BY m.id FOR NO KEY UPDATE OF m`,
});
const SUPERSEDE = statement({
  name: 'outbox.supersede',
  params: { superseded: array(int8) },
  sql: `UPDATE outbox_message SET state = 'superseded', finished_at = coalesce(finished_at, now()), lease_until = NULL WHERE id = ANY(:superseded::bigint[])`,
});
const INSERT = statement({
  name: 'outbox.insert',
  params: {
    type: text,
    id: int8,
    peerId: int8,
    kind: text,
    revision: int4,
    dedupeKey: text,
    payload: jsonb<Readonly<Record<string, unknown>>>(),
    sealedSecret: nullable(bytea),
    lifetimeMs: int8,
    origin: nullable(text),
  },
  row: { id: int8 },
  sql: `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at, origin)
   VALUES (:type, :id, :peerId, :kind, :revision, :dedupeKey, :payload, :sealedSecret, now() + :lifetimeMs::bigint * interval '1 millisecond', :origin)
   ON CONFLICT (dedupe_key) DO NOTHING RETURNING id`,
});
/** Equal positions of the arrays belong together. */
const INSERT_ALL = statement({
  name: 'outbox.insert_all',
  params: {
    types: array(text),
    ids: array(int8),
    peerIds: array(int8),
    kinds: array(text),
    revisions: array(int4),
    payloads: array(text),
    sealedSecrets: array(bytea),
    lifetimesMs: array(int8),
    origin: nullable(text),
  },
  sql: `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at, origin)
   SELECT type, id, peer_id, kind, revision, kind || ':' || type || '/' || id || ':' || revision, payload::jsonb, nullif(sealed_secret, ''),
     now() + lifetime_ms * interval '1 millisecond', :origin
   FROM unnest(:types::text[], :ids::bigint[], :peerIds::bigint[], :kinds::text[], :revisions::integer[], :payloads::text[], :sealedSecrets::bytea[],
     :lifetimesMs::bigint[]) AS m(type, id, peer_id, kind, revision, payload, sealed_secret, lifetime_ms)
   ON CONFLICT (dedupe_key) DO NOTHING`,
});
const VERDICT = statement({
  name: 'outbox.verdict',
  isShortRead: true,
  params: { messageId: int8 },
  row: MESSAGE_VERDICT,
  sql: `SELECT m.state, m.attempts, m.error_class AS "errorClass", m.error_message AS message, m.reply,
     m.state = 'pending' AND ${GETS_NO_MESSAGES} AS "isHeld"
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id JOIN peer host ON host.id = p.host_id WHERE m.id = :messageId`,
});
const FORGET_FINISHED = statement({
  name: 'outbox.forget_finished',
  plannedOnce: true,
  params: { days: int4, limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM outbox_message WHERE id = ANY (ARRAY(
     SELECT id FROM outbox_message WHERE finished_at < now() - :days::int * interval '1 day' AND state IN ('delivered', 'not-sent', 'superseded')
     ORDER BY finished_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});

const NO_SECRET = Buffer.alloc(0);

/** Writes messages to partners into the outbox. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes a message in the transaction that changes its subject, and removes unsent messages that become pointless.
   * The transaction locks the subject's own row, if at all, before this call.
   * @returns its id; undefined if no message is needed, or it was written before
   */
  async write(
    transaction: Queryable,
    message: NewMessage,
    origin = originText(),
  ): Promise<number | undefined> {
    if (!BEGINNINGS.includes(message.kind)) {
      const { kind, subject } = message;
      await this.lock(transaction, subject);
      const open = await transaction.rows(OPEN_OF_SUBJECT, { type: subject.type, id: subject.id });
      const { superseded, needed } = coalesce(open, kind);
      await this.supersede(transaction, superseded);
      if (!needed) return undefined;
    }
    return this.insert(transaction, message, origin);
  }

  /**
   * Like `write`, for one change each of many subjects, with a constant number of statements. The transaction locks the rows
   * of the subjects before this call.
   */
  async writeAll(
    transaction: Queryable,
    messages: readonly NewMessage[],
    origin = originText(),
  ): Promise<void> {
    if (messages.length === 0) return;
    const subjects = messages.map(({ subject }) => subject);
    await this.lockAll(transaction, subjects);
    const keys = { types: subjects.map(({ type }) => type), ids: subjects.map(({ id }) => id) };
    const open = Map.groupBy(
      await transaction.rows(OPEN_OF_SUBJECTS, keys),
      ({ subjectType, subjectId }) => `${subjectType}/${subjectId}`,
    );
    const decided = messages.map((message) => ({
      message,
      ...coalesce(open.get(`${message.subject.type}/${message.subject.id}`) ?? [], message.kind),
    }));
    await this.supersede(
      transaction,
      decided.flatMap(({ superseded }) => superseded),
    );
    await this.insertAll(
      transaction,
      decided.filter(({ needed }) => needed).map(({ message }) => message),
      origin,
    );
  }

  /** Like `lock`, for many subjects in one order. */
  async lockAll(transaction: Queryable, subjects: readonly Subject[]): Promise<void> {
    await transaction.rows(LOCK_SUBJECTS, {
      types: subjects.map(({ type }) => type),
      ids: subjects.map(({ id }) => id),
    });
  }

  /** Makes other writers of this subject's messages wait for the end of the transaction. */
  async lock(transaction: Queryable, { type, id }: Subject): Promise<void> {
    await transaction.rows(LOCK_SUBJECT, { type, id });
  }

  /** Withdraws messages that are not being sent. */
  async supersede(transaction: Queryable, superseded: readonly number[]): Promise<void> {
    if (superseded.length > 0) await transaction.rows(SUPERSEDE, { superseded: [...superseded] });
  }

  /** Adds a message and reads no other. @returns its id; undefined if it was written before */
  async insert(
    transaction: Queryable,
    { kind, subject, peerId, revision, payload, sealedSecret }: NewMessage,
    origin: string | null,
  ): Promise<number | undefined> {
    const [row] = await transaction.rows(INSERT, {
      type: subject.type,
      id: subject.id,
      peerId,
      kind,
      revision,
      dedupeKey: `${kind}:${subject.type}/${subject.id}:${revision}`,
      payload,
      sealedSecret,
      lifetimeMs: MESSAGES[kind].lifetimeMs,
      origin,
    });
    return row?.id;
  }

  /** Adds many messages with one statement, and reads no other. Messages that were written before stay. */
  async insertAll(
    transaction: Queryable,
    messages: readonly NewMessage[],
    origin = originText(),
  ): Promise<void> {
    if (messages.length === 0) return;
    await transaction.rows(INSERT_ALL, {
      types: messages.map(({ subject }) => subject.type),
      ids: messages.map(({ subject }) => subject.id),
      peerIds: messages.map(({ peerId }) => peerId),
      kinds: messages.map(({ kind }) => kind),
      revisions: messages.map(({ revision }) => revision),
      payloads: messages.map(({ payload }) => JSON.stringify(payload)),
      sealedSecrets: messages.map(({ sealedSecret }) => sealedSecret ?? NO_SECRET),
      lifetimesMs: messages.map(({ kind }) => MESSAGES[kind].lifetimeMs),
      origin,
    });
  }

  /** State of the message; undefined if there is none. */
  async verdict(messageId: number): Promise<MessageVerdict | undefined> {
    return (await this.database.rows(VERDICT, { messageId }))[0];
  }

  /** Deletes at most `limit` messages that ended more than `days` ago and are no longer needed. @returns how many */
  async forgetFinished(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET_FINISHED, { days, limit })).length;
  }
}
