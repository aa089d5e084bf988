import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AUDIT_BOUNDS } from '../../audit-bounds';
import { ExactText } from '../columns';

/** A decision about shares, partners, accounts or settings, or a refusal. */
@Entity('audit_event')
@Index('audit_event_at', ['at'])
@Index('audit_event_by_account', { synchronize: false })
@Index('audit_event_by_actor', { synchronize: false })
@Index('audit_event_by_object', ['objectType', 'objectId', 'id'])
@Index('audit_event_window', ['windowKey'], { unique: true, where: 'window_key IS NOT NULL' })
@Check('audit_event_actor_kind_check', `actor_kind IN ('user', 'partner', 'operator', 'system')`)
@Check('audit_event_detail_check', `octet_length((detail)::text) <= ${AUDIT_BOUNDS.detail}`)
@Check('audit_event_outcome_check', `outcome IN ('done', 'refused')`)
export class AuditEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('timestamptz', { default: () => 'now()' })
  at!: Date;

  /** Kind of the actor. */
  @ExactText()
  actorKind!: 'user' | 'partner' | 'operator' | 'system';

  /** User id, host or name of the actor. */
  @ExactText({ nullable: true })
  actor!: string | null;

  /** Name of the decision. */
  @ExactText()
  action!: string;

  /** Kind of the object. */
  @ExactText()
  objectType!: string;

  /** Id of the object. */
  @ExactText({ nullable: true })
  objectId!: string | null;

  /** `done` or `refused`. */
  @ExactText({ default: 'done' })
  outcome!: 'done' | 'refused';

  /** Network address of the request. */
  @ExactText({ nullable: true })
  address!: string | null;

  /** Id of the request, as log lines have it. */
  @ExactText({ nullable: true })
  requestId!: string | null;

  /** Number of equal refusals that this row counts. */
  @Column('integer', { default: 1 })
  attempts!: number;

  /** Further facts; they contain no secret. */
  @Column('jsonb', { default: () => `'{}'` })
  detail!: Readonly<Record<string, unknown>>;

  /** Id of equal refusals in one period; NULL: the row counts no others. */
  @Column('uuid', { nullable: true })
  windowKey!: string | null;
}
