import { Injectable } from '@nestjs/common';
import {
  afterAcceptance,
  afterReceivedShareEnded,
  afterShareEnded,
  type EventEffect,
  type MessageKind,
  type MessageState,
  type ReceivedShareFacts,
  type ShareFacts,
  type Subject,
  type SubjectMessage,
} from '#federation/exchange';
import { Database, type Queryable } from '../../database';
import {
  array,
  bool,
  bytea,
  int2,
  int4,
  int8,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { ShareChangeMessages } from '../shares/share-change-messages';
import { ShareEventEffects } from '../shares/share-event-effects';
import { OutboxRepository } from './outbox.repository';

/** Events that this version knows. Events of a newer version are left to its processes. */
const KINDS = [
  'ended',
  'lowered',
  'expiry-changed',
  'accepted',
  'accepted-by-recipient',
  'undelivered',
  'ended-by-recipient',
  'access-lost',
] as const;

const EVENT_ROW = {
  id: int8,
  kind: textOf<(typeof KINDS)[number]>(),
  subjectType: textOf<'share' | 'received-share'>(),
  subjectId: int8,
  subject: jsonb<ShareFacts & ReceivedShareFacts>(),
  sealedSecret: nullable(bytea),
  origin: nullable(text),
};
type EventRow = RowOf<typeof EVENT_ROW>;

/** Kinds that cause messages to partners, and lock these. */
const WITH_MESSAGES: readonly EventRow['kind'][] = ['ended', 'accepted'];

/** Only one worker handles events at a time, so that events of one share keep their order. */
const CLAIM_ALL = statement({
  name: 'share_event.claim_all',
  row: { claimed: bool },
  sql: `SELECT pg_try_advisory_xact_lock(hashtextextended('share-events', 0)) AS claimed`,
});
const OLDEST = statement({
  name: 'share_event.oldest',
  params: { kinds: array(text), limit: int8 },
  row: EVENT_ROW,
  sql: `SELECT id, kind, subject_type AS "subjectType", subject_id AS "subjectId", subject, sealed_secret AS "sealedSecret", actor ->> 'origin' AS origin
   FROM share_event WHERE kind = ANY(:kinds::text[]) ORDER BY id LIMIT :limit`,
});
const FORGET = statement({
  name: 'share_event.forget',
  params: { ids: array(int8) },
  sql: 'DELETE FROM share_event WHERE id = ANY(:ids::bigint[])',
});
const LOCK_CHANGED = statement({
  name: 'share_event.lock_changed',
  params: { id: int8 },
  row: { permissions: int2 },
  sql: 'SELECT permissions FROM share WHERE id = :id FOR NO KEY UPDATE',
});
const MESSAGES_OF = statement({
  name: 'share_event.messages_of',
  params: { types: array(text), ids: array(int8) },
  row: {
    messageId: int8,
    subjectId: int8,
    subjectType: textOf<Subject['type']>(),
    kind: textOf<MessageKind>(),
    state: textOf<MessageState>(),
    attempts: int4,
    maybeDelivered: bool,
  },
  sql: `SELECT m.id AS "messageId", m.subject_id AS "subjectId", m.subject_type AS "subjectType", m.kind, m.state, m.attempts,
     m.maybe_delivered AS "maybeDelivered"
   FROM unnest(:types::text[], :ids::bigint[]) AS given (type, id) JOIN outbox_message m ON m.subject_type = given.type AND m.subject_id = given.id
   ORDER BY m.id FOR NO KEY UPDATE OF m`,
});
/** Partners under their present names; a partner that is gone gets no message. */
const PRESENT_PEERS = statement({
  name: 'share_event.present_peers',
  params: { ids: array(int8) },
  row: { id: int8, presentId: int8 },
  sql: `SELECT id, coalesce(alias_of, id) AS "presentId" FROM peer WHERE id = ANY(:ids::bigint[]) FOR KEY SHARE`,
});

const AT_ONCE = 100;

/** Turns events of shares, which triggers record, into messages to partners and notifications of people here. */
@Injectable()
export class ShareEventRepository {
  private readonly outbox: OutboxRepository;
  private readonly changes: ShareChangeMessages;

  constructor(private readonly database: Database) {
    this.outbox = new OutboxRepository(database);
    this.changes = new ShareChangeMessages(this.outbox);
  }

  /** Handles all waiting events, each with its messages in one transaction, unless another process is doing that. */
  async handleAll(): Promise<void> {
    let more = true;
    while (more) more = await this.database.transaction((transaction) => this.handleOldest(transaction));
  }

  /** @returns whether there may be more */
  private async handleOldest(transaction: Queryable): Promise<boolean> {
    const [lock] = await transaction.rows(CLAIM_ALL);
    if (!lock!.claimed) return false;
    const events = await transaction.rows(OLDEST, { kinds: KINDS.slice(), limit: AT_ONCE });
    // Rows of shares are locked before rows of messages, as everywhere.
    let hasEnded = false;
    for (const event of events)
      if (!WITH_MESSAGES.includes(event.kind))
        hasEnded = (await this.handleShare(transaction, event)) || hasEnded;
    const telling = events.filter(({ kind }) => WITH_MESSAGES.includes(kind));
    for (const round of oncePerSubject(telling)) await this.handleNotices(transaction, round);
    await transaction.rows(FORGET, { ids: events.map(({ id }) => id) });
    return hasEnded || events.length === AT_ONCE;
  }

  /** Does nothing if the share is gone. @returns whether it ended the share */
  private async handleShare(transaction: Queryable, event: EventRow): Promise<boolean> {
    const effects = new ShareEventEffects(transaction);
    const { subjectId } = event;
    switch (event.kind) {
      case 'undelivered':
        return effects.undelivered(subjectId);
      case 'ended-by-recipient':
        await effects.endedByRecipient(subjectId);
        return false;
      case 'accepted-by-recipient':
        await effects.acceptedByRecipient(subjectId);
        return false;
      case 'access-lost':
        await effects.accessLost(subjectId);
        return false;
      case 'lowered':
      case 'expiry-changed':
        await this.handleChanged(transaction, event);
        return false;
      case 'ended':
      case 'accepted':
        return false;
    }
  }

  /** Sends the recipient's server the present permissions and expiry of the share. */
  private async handleChanged(transaction: Queryable, { kind, subjectId, origin }: EventRow): Promise<void> {
    const [share] = await transaction.rows(LOCK_CHANGED, { id: subjectId });
    if (!share) return;
    if (kind === 'lowered')
      await this.changes.notifyRecipient(transaction, subjectId, share.permissions, origin);
    else await this.changes.notifyOfAdditions(transaction, subjectId, share.permissions, origin);
  }

  /** Handles events of one subject each, with a constant number of statements, since a share with a group can end many shares at once. */
  private async handleNotices(transaction: Queryable, events: readonly EventRow[]): Promise<void> {
    const subjects = events.flatMap(({ subjectType, subjectId: id }) =>
      SIDES[subjectType].map((type) => ({ type, id })),
    );
    await this.outbox.lockAll(transaction, subjects);
    const keys = { types: subjects.map(({ type }) => type), ids: subjects.map(({ id }) => id) };
    const messages = Map.groupBy(await transaction.rows(MESSAGES_OF, keys), sideOf);
    const effects = events.map((event) => ({
      event,
      ...effectOf(event, messages.get(sideOf(event)) ?? []),
    }));
    await this.outbox.supersede(
      transaction,
      effects.flatMap(({ superseded }) => superseded),
    );
    const due = effects.flatMap((effect) => effect.due.map((notice) => ({ notice, event: effect.event })));
    const present = await presentPeers(
      transaction,
      due.map(({ notice }) => notice.peerId),
    );
    const notices = due.flatMap(({ notice, event: { sealedSecret, origin } }) => {
      const peerId = present.get(notice.peerId);
      return peerId === undefined ? [] : [{ origin, message: { ...notice, peerId, sealedSecret } }];
    });
    for (const [origin, group] of Map.groupBy(notices, (one) => one.origin))
      await this.outbox.insertAll(
        transaction,
        group.map(({ message }) => message),
        origin,
      );
  }
}

/** Subjects of the messages that an event can affect. */
const SIDES: Readonly<Record<EventRow['subjectType'], readonly Subject['type'][]>> = {
  share: ['share', 'reshare'],
  'received-share': ['received-share'],
};

/** A share with both of its sides, or a received share. */
const sideOf = ({
  subjectType,
  subjectId,
}: {
  readonly subjectType: Subject['type'];
  readonly subjectId: number;
}): string => `${subjectType === 'received-share' ? 'received' : 'ours'}/${subjectId}`;

/** Divides events into rounds, in the order of each subject: the next event has to see the messages of the one before. */
function oncePerSubject(events: readonly EventRow[]): EventRow[][] {
  const rounds: EventRow[][] = [];
  const seen = new Map<string, number>();
  for (const event of events) {
    const round = seen.get(sideOf(event)) ?? 0;
    seen.set(sideOf(event), round + 1);
    (rounds[round] ??= []).push(event);
  }
  return rounds;
}

function effectOf(
  { kind, subjectType, subject }: EventRow,
  messages: readonly SubjectMessage[],
): EventEffect {
  if (kind === 'accepted') return afterAcceptance(subject);
  return subjectType === 'share'
    ? afterShareEnded(subject, messages)
    : afterReceivedShareEnded(subject, messages);
}

async function presentPeers(
  transaction: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await transaction.rows(PRESENT_PEERS, { ids: [...ids] });
  return new Map(rows.map(({ id, presentId }) => [id, presentId]));
}
