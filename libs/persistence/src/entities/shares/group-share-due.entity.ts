import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ShareEntity } from './share.entity';

/** A share with a group whose federated shares have to be compared with the group's members. */
@Entity('group_share_due')
@Index('group_share_due_at', ['dueAt'])
export class GroupShareDueEntity {
  @PrimaryColumn('bigint')
  shareId!: number;

  /** The share itself changed, and federated shares with a greater id still need the change; NULL: it did not change. */
  @Column('bigint', { nullable: true })
  tellAfter!: number | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  dueAt!: Date;

  /** The person who made the change, and its origin. */
  @Column('jsonb', {
    nullable: true,
    default: () => `(NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb`,
  })
  actor!: unknown;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity;
}
