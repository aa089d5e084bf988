import { acting } from '#platform';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import {
  int4,
  int8,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { RefusalCounter } from './refusal-counter';

export const ACTOR_KINDS = ['user', 'partner', 'operator', 'system'] as const;
type ActorKind = (typeof ACTOR_KINDS)[number];
export const OUTCOMES = ['done', 'refused'] as const;
type AuditOutcome = (typeof OUTCOMES)[number];

/** Something that was decided, or that somebody was refused. */
const AUDIT_EVENT = {
  id: int8,
  /** When its transaction began. */
  at: timestamptz,
  actorKind: textOf<ActorKind>(),
  /** A user id or a partner's host; null where it is not known who. */
  actor: nullable(text),
  /** Such as `share.create`; docs/operations/audit.md lists them. */
  action: text,
  objectType: text,
  objectId: nullable(text),
  outcome: textOf<AuditOutcome>(),
  /** Where the request came from; null where there was none. */
  address: nullable(text),
  requestId: nullable(text),
  /** At least so often it happened within the minute; more than once only where it was refused. */
  attempts: int4,
  detail: jsonb<Readonly<Record<string, unknown>>>(),
};
export type AuditEvent = RowOf<typeof AUDIT_EVENT>;

/** Filter of the audit log; absent fields match everything. */
export interface AuditFilter {
  readonly actorKind?: ActorKind;
  readonly actor?: string;
  readonly action?: string;
  readonly objectType?: string;
  readonly objectId?: string;
  readonly outcome?: AuditOutcome;
  /** From this moment on. */
  readonly since?: Date;
  /** Up to this moment, without it. */
  readonly until?: Date;
}

const COLUMNS = `id, at, actor_kind AS "actorKind", actor, action, object_type AS "objectType", object_id AS "objectId", outcome,
  address, request_id AS "requestId", attempts, detail`;
const WANTED = `(:actorKind::text IS NULL OR actor_kind = :actorKind) AND (:actor::text IS NULL OR actor = :actor) AND (:action::text IS NULL OR action = :action)
  AND (:objectType::text IS NULL OR object_type = :objectType) AND (:objectId::text IS NULL OR object_id = :objectId) AND (:outcome::text IS NULL OR outcome = :outcome)
  AND (:since::timestamptz IS NULL OR at >= :since) AND (:until::timestamptz IS NULL OR at < :until)`;

const FILTER = {
  actorKind: nullable(text),
  actor: nullable(text),
  action: nullable(text),
  objectType: nullable(text),
  objectId: nullable(text),
  outcome: nullable(text),
  since: nullable(timestamptz),
  until: nullable(timestamptz),
};

const NEWEST = statement({
  name: 'audit.newest',
  params: { ...FILTER, before: nullable(int8), limit: int8 },
  row: AUDIT_EVENT,
  sql: `SELECT ${COLUMNS} FROM audit_event WHERE ${WANTED} AND (:before::bigint IS NULL OR id < :before) ORDER BY id DESC LIMIT :limit`,
});
const OLDEST = statement({
  name: 'audit.oldest',
  params: { ...FILTER, after: int8, limit: int8 },
  row: AUDIT_EVENT,
  sql: `SELECT ${COLUMNS} FROM audit_event WHERE ${WANTED} AND id > :after::bigint ORDER BY id LIMIT :limit`,
});
const RECORD = statement({
  name: 'audit.record',
  params: { action: text, type: text, id: nullable(text), detail: jsonText, acting: text },
  sql: `SELECT audit(:action, :type, :id, :detail::jsonb) WHERE ${ACTING}`,
});
const RECORD_REFUSAL = statement({
  name: 'audit.record_refusal',
  params: { action: text, type: text, id: nullable(text), detail: jsonText, times: int4, acting: text },
  sql: `SELECT audit_refusal(:action, :type, :id, :detail::jsonb, :times::integer) WHERE ${ACTING}`,
});
const FORGET = statement({
  name: 'audit.forget',
  params: { limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM audit_event WHERE id IN (
     SELECT id FROM audit_event WHERE audit_retention_days() > 0 AND at < now() - audit_retention_days() * interval '1 day'
     ORDER BY at LIMIT :limit FOR UPDATE SKIP LOCKED
   ) RETURNING id`,
});

/** The audit log. What changes in the tables is written by triggers; here is what leaves no trace there. */
export class AuditRepository {
  private readonly refusals = new RefusalCounter();

  constructor(private readonly database: Queryable) {}

  /** The latest ones first, those with a smaller id than `before`; null for no bound. */
  newest(filter: AuditFilter, before: number | null, limit: number): Promise<AuditEvent[]> {
    return this.database.rows(NEWEST, { ...valuesOf(filter), before, limit });
  }

  /** The first ones first, those with a greater id than `after`. */
  oldest(filter: AuditFilter, after: number, limit: number): Promise<AuditEvent[]> {
    return this.database.rows(OLDEST, { ...valuesOf(filter), after, limit });
  }

  /** Something was decided on an object. @param detail without a secret */
  async record(action: string, [type, id]: AuditedObject, detail: AuditDetail): Promise<void> {
    await this.database.rows(RECORD, {
      action,
      type,
      id,
      detail: JSON.stringify(detail),
      acting: actingText(),
    });
  }

  /**
   * Somebody was refused something. The same within a minute is counted in one row, and a flood in few; most of it is not
   * even written.
   * @param detail without a secret; its `reason` tells attempts apart
   */
  async recordRefusal(
    action: string,
    [type, id]: AuditedObject,
    detail: AuditDetail & { readonly reason: string },
  ): Promise<void> {
    const { actor, request } = acting() ?? {};
    const times = this.refusals.note(action, JSON.stringify([type, id, detail.reason, actor, request?.ip]));
    if (times > 0)
      await this.database.rows(RECORD_REFUSAL, {
        action,
        type,
        id,
        detail: JSON.stringify(detail),
        times,
        acting: actingText(),
      });
  }

  /** Deletes at most `limit` rows that are older than the setting says. @returns how many */
  async forgetOld(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}

/** Type and id; null where there is none. */
export type AuditedObject = readonly [type: string, id: string | null];
type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

const valuesOf = (filter: AuditFilter) => ({
  actorKind: filter.actorKind ?? null,
  actor: filter.actor ?? null,
  action: filter.action ?? null,
  objectType: filter.objectType ?? null,
  objectId: filter.objectId ?? null,
  outcome: filter.outcome ?? null,
  since: filter.since ?? null,
  until: filter.until ?? null,
});
