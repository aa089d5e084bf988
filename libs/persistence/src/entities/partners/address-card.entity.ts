import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** The card of an account in the address book for trusted servers. A withdrawn card stays as a mark that names nobody. */
@Entity('address_card')
@Index('address_card_by_revision', ['revision'], { unique: true })
export class AddressCardEntity {
  /** Random, so that the names of cards reveal no accounts. */
  @PrimaryColumn('uuid')
  id!: string;

  /** NULL: the card is withdrawn, or its account ended. */
  @ExactText({ nullable: true, unique: true })
  uid!: string | null;

  /** Hash of the name and the mail address, by which changes are noticed; NULL: the card is withdrawn. */
  @Column('bigint', { nullable: true })
  contentHash!: number | null;

  /** Whether partners that have the card have to remove it. */
  @Column('boolean', { default: false })
  withdrawn!: boolean;

  /** Grows with each change of any card: the sync token. */
  @Column('bigint')
  revision!: number;

  @OneToOne(() => UserAccountEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity | null;
}
