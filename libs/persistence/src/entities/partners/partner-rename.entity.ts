import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A rename of a partner that an administrator requested; a worker does it. Deleted after a day. */
@Entity('partner_rename')
@Index('partner_rename_by_account', ['uid'])
@Unique(['fromHost', 'toHost'])
@Check('partner_rename_state_check', `state IN ('waiting', 'renamed', 'refused')`)
@Check('partner_rename_check', `(state = 'renamed') = (moved IS NOT NULL)`)
export class PartnerRenameEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Host of the partner until now. */
  @ExactText()
  fromHost!: string;

  @ExactText()
  toHost!: string;

  /** Whether the old host no longer exists and is not called. */
  @Column('boolean')
  isOldHostGone!: boolean;

  /** The administrator. */
  @ExactText()
  uid!: string;

  @ExactText({ default: 'waiting' })
  state!: string;

  /** Reason of a refusal. */
  @ExactText({ default: '' })
  reason!: string;

  /** Failure of the called host, if that is the reason. */
  @Column('text', { default: '' })
  words!: string;

  /** Counts of moved rows, and of the shares that proved the new host; NULL until the partner is renamed. */
  @Column('jsonb', { nullable: true })
  moved!: Readonly<Record<string, number>> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
