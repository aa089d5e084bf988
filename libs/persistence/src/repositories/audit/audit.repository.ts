import { acting } from '#platform';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import { int4, int8, jsonText, nullable, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { RefusalCounter } from './refusal-counter';

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
  sql: `DELETE FROM audit_event WHERE id = ANY (ARRAY(
     SELECT id FROM audit_event WHERE audit_retention_days() > 0 AND at < now() - audit_retention_days() * interval '1 day'
     ORDER BY at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});

/** The audit log. Triggers record changes of tables; this class records events that change no table. */
export class AuditRepository {
  private readonly refusals = new RefusalCounter();

  constructor(private readonly database: Queryable) {}

  /** Records a decision about an object. @param detail must contain no secret */
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
   * Records a refusal. Equal refusals within a minute share one row, and a flood shares a few; most of it is not
   * even written.
   * @param detail must contain no secret; its `reason` distinguishes attempts
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

  /** Deletes at most `limit` rows that are older than the setting allows. @returns how many */
  async forgetOld(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}

/** Type and id; null for none. */
export type AuditedObject = readonly [type: string, id: string | null];
type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;
