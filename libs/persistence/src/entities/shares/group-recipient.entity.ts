import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { ShareEntity } from './share.entity';

/** A member at a partner of the group that a share is with, and their decision. */
@Entity('group_recipient')
@Index('group_recipient_by_share', ['shareId'], { unique: true, where: 'share_id IS NOT NULL' })
@Check('group_recipient_ended_check', `ended IN ('declined', 'left', 'expired')`)
export class GroupRecipientEntity {
  /** Share with the group. */
  @PrimaryColumn('bigint')
  groupShareId!: number;

  /** Canonical form of the cloud id. */
  @ExactTextKey()
  canonical!: string;

  /** Federated cloud id as it was given. */
  @Column('text')
  recipient!: string;

  /** Federated share of this member; NULL: it has ended, and they get no new one. */
  @Column('bigint', { nullable: true })
  shareId!: number | null;

  /** `declined` before it was accepted, `left` afterwards, `expired` before the share with the group; NULL: it has not ended. */
  @ExactText({ nullable: true })
  ended!: string | null;

  /** Text of the recipient who ended it; NULL: none. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  /** Beginning of the membership for which they have it; NULL: of the present one, in rows of older versions. */
  @Column('timestamptz', { nullable: true })
  memberSince!: Date | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_share_id' })
  groupShare?: ShareEntity;

  @ManyToOne(() => ShareEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity | null;
}
