import { acting } from '#platform';
import type { Queryable } from '../../database';
import { decision, statement } from '../../statement';
import { RefusalCounter } from './refusal-counter';

export const ACTOR_KINDS = ['user', 'partner', 'operator', 'system'] as const;
type ActorKind = (typeof ACTOR_KINDS)[number];
export const OUTCOMES = ['done', 'refused'] as const;
type AuditOutcome = (typeof OUTCOMES)[number];

/** Something that was decided, or that somebody was refused. */
export interface AuditEvent {
  readonly id: number;
  /** When its transaction began. */
  readonly at: Date;
  readonly actorKind: ActorKind;
  /** A user id or a partner's host; null where it is not known who. */
  readonly actor: string | null;
  /** Such as `share.create`; docs/operations/audit.md lists them. */
  readonly action: string;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly outcome: AuditOutcome;
  /** Where the request came from; null where there was none. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** At least so often it happened within the minute; more than once only where it was refused. */
  readonly attempts: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

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
const WANTED = `($1::text IS NULL OR actor_kind = $1) AND ($2::text IS NULL OR actor = $2) AND ($3::text IS NULL OR action = $3)
  AND ($4::text IS NULL OR object_type = $4) AND ($5::text IS NULL OR object_id = $5) AND ($6::text IS NULL OR outcome = $6)
  AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)`;

const NEWEST = statement<AuditEvent>(
  'audit.newest',
  `SELECT ${COLUMNS} FROM audit_event WHERE ${WANTED} AND ($9::bigint IS NULL OR id < $9) ORDER BY id DESC LIMIT $10`,
);
const OLDEST = statement<AuditEvent>(
  'audit.oldest',
  `SELECT ${COLUMNS} FROM audit_event WHERE ${WANTED} AND id > $9::bigint ORDER BY id LIMIT $10`,
);
const RECORD = decision('audit.record', (acting) => `SELECT audit($1, $2, $3, $4::jsonb) WHERE ${acting}`);
const RECORD_REFUSAL = decision(
  'audit.record_refusal',
  (acting) => `SELECT audit_refusal($1, $2, $3, $4::jsonb, $5::integer) WHERE ${acting}`,
);
const FORGET = statement<{ id: number }>(
  'audit.forget',
  `DELETE FROM audit_event WHERE id IN (
     SELECT id FROM audit_event WHERE audit_retention_days() > 0 AND at < now() - audit_retention_days() * interval '1 day'
     ORDER BY at LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING id`,
);

/** The audit log. What changes in the tables is written by triggers; here is what leaves no trace there. */
export class AuditRepository {
  private readonly refusals = new RefusalCounter();

  constructor(private readonly database: Queryable) {}

  /** The latest ones first, those with a smaller id than `before`; null for no bound. */
  newest(filter: AuditFilter, before: number | null, limit: number): Promise<AuditEvent[]> {
    return this.database.rows(NEWEST, [...valuesOf(filter), before, limit]);
  }

  /** The first ones first, those with a greater id than `after`. */
  oldest(filter: AuditFilter, after: number, limit: number): Promise<AuditEvent[]> {
    return this.database.rows(OLDEST, [...valuesOf(filter), after, limit]);
  }

  /** Something was decided on an object. @param detail without a secret */
  async record(action: string, [type, id]: AuditedObject, detail: AuditDetail): Promise<void> {
    await this.database.rows(RECORD, [action, type, id, JSON.stringify(detail)]);
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
      await this.database.rows(RECORD_REFUSAL, [action, type, id, JSON.stringify(detail), times]);
  }

  /** Deletes at most `limit` rows that are older than the setting says. @returns how many */
  async forgetOld(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, [limit])).length;
  }
}

/** Type and id; null where there is none. */
export type AuditedObject = readonly [type: string, id: string | null];
type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

function valuesOf(filter: AuditFilter): unknown[] {
  const { actorKind, actor, action, objectType, objectId, outcome, since, until } = filter;
  return [actorKind, actor, action, objectType, objectId, outcome, since, until].map(
    (value) => value ?? null,
  );
}
