import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** An offer that its recipient reported to the operators; it stays until one of them closes it. */
@Entity('offer_report')
@Index('offer_report_by_reporter', ['reporterUid'])
@Check('offer_report_reason_check', 'octet_length(reason) <= 4000')
export class OfferReportEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Account that received the offer. */
  @ExactText()
  reporterUid!: string;

  /** The server that made the offer, as a canonical host. */
  @ExactText()
  hostKey!: string;

  /** Federated cloud id of the owner. */
  @Column('text')
  owner!: string;

  /** Federated cloud id of the person who shared. */
  @Column('text')
  sender!: string;

  /** Name of the shared node. */
  @Column('text')
  name!: string;

  /** Text of the account. */
  @Column('text')
  reason!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'reporter_uid' })
  reporter?: UserAccountEntity;
}
