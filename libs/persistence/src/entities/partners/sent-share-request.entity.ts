import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A request of an account to somebody at a partner for a share. Its message in the outbox has the state of its delivery. */
@Entity('sent_share_request')
@Index('sent_share_request_by_time', ['createdAt'])
@Unique(['uid', 'owner', 'resource'])
@Check('sent_share_request_owner_check', 'octet_length(owner) BETWEEN 3 AND 1300')
@Check('sent_share_request_resource_check', 'octet_length(resource) BETWEEN 1 AND 1000')
export class SentShareRequestEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Account that asks. */
  @ExactText()
  uid!: string;

  /** Cloud id of the one who is asked. */
  @ExactText()
  owner!: string;

  /** Id or address of a file or folder at the partner. */
  @ExactText()
  resource!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
