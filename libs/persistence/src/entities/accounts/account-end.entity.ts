import { Check, Column, Entity, Index, JoinColumn, ManyToOne, OneToOne } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { UserAccountEntity } from './user-account.entity';

/** The requested end of an account. The row is deleted with the account, or when the request is undone. */
@Entity('account_end')
@Index('account_end_by_successor', ['successorUid'], { where: 'successor_uid IS NOT NULL' })
@Check('account_end_successor_check', 'successor_uid <> uid')
export class AccountEndEntity {
  @ExactTextKey()
  uid!: string;

  /** Account that gets files and shares; NULL: they are removed. */
  @ExactText({ nullable: true })
  successorUid!: string | null;

  /** Time from which the account is deleted; until then the request can be undone. */
  @Column('timestamptz')
  dueAt!: Date;

  /** Start of the deletion; from then on it cannot be undone. */
  @Column('timestamptz', { nullable: true })
  beganAt!: Date | null;

  /** Whether the account was enabled before, or disabled by a source alone. An undo restores that. */
  @Column('boolean')
  wasEnabled!: boolean;

  /** Name that the audit log gets in place of the user id. */
  @ExactText()
  pseudonym!: string;

  /** Folder of the successor into which the files are moved; NULL: none exists yet. */
  @Column('bigint', { nullable: true })
  folderId!: number | null;

  /** Table from which names are being erased; NULL: not begun. */
  @ExactText({ nullable: true })
  erasing!: string | null;

  /** Last id of that table that was checked. */
  @Column('bigint', { default: 0 })
  erasedTo!: number;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt!: Date;

  @OneToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'successor_uid' })
  successor?: UserAccountEntity | null;
}
