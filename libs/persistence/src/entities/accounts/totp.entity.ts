import { Column, Entity, JoinColumn, OneToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactTextKey } from '../columns';

/** The app of an account that shows a new code every 30 seconds (RFC 6238). */
@Entity('totp')
export class TotpEntity {
  @ExactTextKey()
  uid!: string;

  /** Secret in base32, sealed; the app has it, too. */
  @Column('bytea')
  sealedSecret!: Buffer;

  /** Number of the last period of 30 seconds since 1970 whose code was used: this and earlier codes are not valid any more. */
  @Column('bigint')
  lastStep!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @OneToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
