import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';

/** An event of a share whose effects are not decided yet. */
@Entity('share_event')
@Index('share_event_by_subject', ['subjectId', 'subjectType'])
@Check('share_event_subject_type_check', `subject_type IN ('share', 'received-share')`)
export class ShareEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** `ended`, `ended-by-recipient`, `lowered`, `expiry-changed`, `accepted`, `accepted-by-recipient`, `undelivered` or `access-lost`. */
  @ExactText()
  kind!: string;

  /** Kind of the subject: a share or a received share. */
  @ExactText()
  subjectType!: string;

  /** Id of the subject. */
  @Column('bigint')
  subjectId!: number;

  /** Revision of the subject at that time. */
  @Column('integer')
  revision!: number;

  /** Person or partner who caused the event, and its origin. */
  @Column('jsonb', {
    nullable: true,
    default: () => `(NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb`,
  })
  actor!: unknown;

  /** Row of the subject, without secrets and hashes. */
  @Column('jsonb')
  subject!: unknown;

  /** Secret of the subject, encrypted. */
  @Column('bytea', { nullable: true })
  sealedSecret!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
