import { Column, Entity, JoinColumn, OneToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactTextKey } from '../columns';

/** The app of an account that shows a new code every 30 seconds (RFC 6238). */
@Entity('totp')
export class TotpEntity {
  @ExactTextKey()
  uid!: string;

  /** Secret in base32, which the app holds too, sealed. */
  @Column('bytea')
  sealedSecret!: Buffer;

  /** Number of the period of 30 seconds since 1970 whose code was used last: it and earlier ones count no more. */
  @Column('bigint')
  lastStep!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @OneToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
