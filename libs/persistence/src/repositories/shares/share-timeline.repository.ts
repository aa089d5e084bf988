import { Injectable } from '@nestjs/common';
import { readOrigin } from '#platform';
import type { RecordedActivity, RecordedEvent, RecordedMessage } from '#sharing';
import { Database } from '../../database';
import {
  array,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  textOf,
  timestamptz,
  type RowOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { seesNode } from './coverage-sql';
import { ENDED_SHARE_DAYS } from './ended-share.repository';

const SHARE = { owner: nullable(text), initiator: nullable(text) };
/** The people who may read a timeline. */
export type TimelineSubject = RowOf<typeof SHARE>;

const LIVING = statement({
  name: 'share_timeline.living',
  params: { id: int8 },
  row: SHARE,
  sql: 'SELECT owner_uid AS owner, initiator_uid AS initiator FROM share WHERE id = :id',
});
/** Whether the account `uid` is the one that had this id when the share was made, rather than a later one. */
const heldThen = (uid: string): string =>
  `EXISTS (SELECT FROM user_account u WHERE u.uid = ${uid} AND u.created_at <= made.at)`;
const nameIfHeldThen = (person: string): string =>
  `CASE WHEN ${heldThen(`made.detail ->> '${person}'`)} THEN made.detail ->> '${person}' END AS ${person}`;
/** The audit log still names the people of an ended share. */
const ENDED = statement({
  name: 'share_timeline.ended',
  params: { id: text, days: int4 },
  row: SHARE,
  sql: `SELECT ${nameIfHeldThen('owner')}, ${nameIfHeldThen('initiator')}
   FROM audit_event made WHERE made.object_type = 'share' AND made.object_id = :id AND made.action IN ('share.create', 'reshare.grant')
     AND EXISTS (SELECT FROM audit_event ended WHERE ended.object_type = 'share' AND ended.object_id = :id
       AND ended.action IN ('share.delete', 'share.expire', 'share.decline', 'share.leave')
       AND ended.at > now() - :days::int * interval '1 day')
   ORDER BY made.id LIMIT 1`,
});
const EVENTS = statement({
  name: 'share_timeline.events',
  params: { id: text, limit: int8 },
  row: {
    at: timestamptz,
    actorKind: textOf<RecordedEvent['actorKind']>(),
    actor: nullable(text),
    action: text,
    outcome: textOf<RecordedEvent['outcome']>(),
    detail: jsonb<RecordedEvent['detail']>(),
  },
  sql: `SELECT at, actor_kind AS "actorKind", actor, action, outcome, detail FROM audit_event
   WHERE object_type = 'share' AND object_id = :id ORDER BY id DESC LIMIT :limit`,
});
/**
 * Shares that a user made, including ended ones, and shares that others made of their files. Their names are the present ones, so they
 * are given for nodes that the user sees now.
 */
export const ACTIVITY = statement({
  name: 'share_timeline.activity',
  params: { uid: text, actions: array(text), before: int8, shares: int8, limit: int8 },
  row: {
    id: int8,
    at: timestamptz,
    actorKind: textOf<RecordedEvent['actorKind']>(),
    actor: nullable(text),
    action: text,
    outcome: textOf<RecordedEvent['outcome']>(),
    detail: jsonb<RecordedEvent['detail']>(),
    shareId: text,
    recipient: nullable(text),
    name: nullable(text),
  },
  sql: `WITH mine AS (
     (SELECT made.object_id AS id, made.detail FROM audit_event made
      WHERE lower(made.actor) = lower(:uid) AND made.actor = :uid AND made.actor_kind = 'user' AND made.object_type = 'share' AND made.action = 'share.create'
        AND ${heldThen(':uid')} ORDER BY made.id DESC LIMIT :shares)
     UNION ALL
     (SELECT made.object_id, made.detail FROM share s
        JOIN audit_event made ON made.object_type = 'share' AND made.object_id = s.id::text AND made.action IN ('share.create', 'reshare.grant')
      WHERE s.owner_uid = :uid AND made.actor IS DISTINCT FROM :uid ORDER BY s.id DESC LIMIT :shares))
   SELECT page.id, page.at, page.actor_kind AS "actorKind", page.actor, page.action, page.outcome, page.detail, page.share_id AS "shareId",
     page.recipient, CASE WHEN ${seesNode(':uid', 'n')} THEN n.name END AS name
   FROM (SELECT e.*, mine.id AS share_id, mine.detail ->> 'recipient' AS recipient, (mine.detail ->> 'node')::bigint AS node_id
     FROM mine CROSS JOIN LATERAL (
       SELECT * FROM audit_event WHERE object_type = 'share' AND object_id = mine.id AND id < :before AND action = ANY(:actions)
       ORDER BY id DESC LIMIT :limit) e
     ORDER BY e.id DESC LIMIT :limit) page
   LEFT JOIN node n ON n.id = page.node_id
   ORDER BY page.id DESC`,
});
/** Leaves out messages about changed content, because there are as many as changes. */
const MESSAGES = statement({
  name: 'share_timeline.messages',
  params: { id: int8, limit: int8 },
  row: {
    createdAt: timestamptz,
    finishedAt: nullable(timestamptz),
    kind: text,
    state: text,
    partner: text,
    attempts: int4,
    nextAttemptAt: nullable(timestamptz),
    reason: nullable(text),
    origin: nullable(text),
  },
  sql: `SELECT m.created_at AS "createdAt", m.finished_at AS "finishedAt", m.kind, m.state, p.host_key AS partner, m.attempts,
     CASE m.state WHEN 'pending' THEN m.available_at END AS "nextAttemptAt", m.error_message AS reason, m.origin
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.subject_type IN ('share', 'reshare') AND m.subject_id = :id AND m.kind <> 'share-content' ORDER BY m.id DESC LIMIT :limit`,
});

/** Maximum of events and messages that are read for one share. */
const AT_MOST = 500;
/** Maximum of shares whose activity is read: the latest of each kind. */
const LATEST_SHARES = 2_000;

/** The recorded lives of shares. */
@Injectable()
export class ShareTimelineRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined for a share that never existed, or ended more than 30 days ago */
  async subject(id: number): Promise<TimelineSubject | undefined> {
    const [living] = await this.database.rows(LIVING, { id });
    if (living) return living;
    return (await this.database.rows(ENDED, { id: String(id), days: ENDED_SHARE_DAYS }))[0];
  }

  events(id: number): Promise<RecordedEvent[]> {
    return this.database.rows(EVENTS, { id: String(id), limit: AT_MOST });
  }

  /** The latest first. @param actions of the audit log @param before id of the last known event */
  activity(
    uid: string,
    actions: readonly string[],
    before: number,
    limit: number,
  ): Promise<RecordedActivity[]> {
    return this.database.rows(ACTIVITY, { uid, actions: [...actions], before, shares: LATEST_SHARES, limit });
  }

  async messages(id: number): Promise<RecordedMessage[]> {
    const rows = await this.database.rows(MESSAGES, { id, limit: AT_MOST });
    return rows.map(({ origin, ...message }) => ({
      ...message,
      traceId: readOrigin(origin).trace?.traceId ?? null,
    }));
  }
}
