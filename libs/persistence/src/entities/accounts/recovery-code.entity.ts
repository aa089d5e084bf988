import { Check, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A code that replaces the second factor of an account once. */
@Entity('recovery_code')
@Index('recovery_code_by_account', ['uid'])
@Check('recovery_code_code_hash_check', 'octet_length(code_hash) = 32')
export class RecoveryCodeEntity {
  /** Keyed hash of the code, which is random, and of its account. */
  @PrimaryColumn('bytea')
  codeHash!: Buffer;

  @ExactText()
  uid!: string;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
