import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A person at a partner, or a whole partner, whose offers an account blocks. */
@Entity('offer_block')
@Unique(['uid', 'hostKey', 'person'])
@Check('offer_block_host_key_check', 'octet_length(host_key) BETWEEN 1 AND 1024')
@Check('offer_block_person_check', 'octet_length(person) <= 2048')
export class OfferBlockEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Account that blocks the offers. */
  @ExactText()
  uid!: string;

  /** The blocked server, as a canonical host. */
  @ExactText()
  hostKey!: string;

  /** Canonical federated cloud id; empty for everybody at the server. */
  @ExactText({ default: '' })
  person!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
