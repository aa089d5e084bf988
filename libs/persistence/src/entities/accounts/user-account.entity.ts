import { Check, Column, Entity, Index } from 'typeorm';
import { ComputedColumn, ExactTextKey } from '../columns';

/** A user who can sign in. */
@Entity('user_account')
@Index('user_account_by_name', { synchronize: false })
@Index('user_account_email_folded', { synchronize: false })
@Index('user_account_search', { synchronize: false })
@Index('user_account_uid_folded', { synchronize: false })
@Check('user_account_quota_bytes_check', 'quota_bytes >= 0')
@Check('user_account_uid_check', 'char_length(uid) BETWEEN 1 AND 64')
export class UserAccountEntity {
  /** User id: unique regardless of case, stored as it was first written. */
  @ExactTextKey()
  uid!: string;

  /** Name shown to other people. */
  @Column('text')
  displayName!: string;

  /** Address for mail; NULL: none known. */
  @Column('text', { nullable: true })
  email!: string | null;

  /** Argon2id hash in PHC form. */
  @Column('text')
  passwordHash!: string;

  /** Whether the account may sign in. */
  @Column('boolean', { default: true })
  enabled!: boolean;

  /** Limit of the bytes that the account owns; NULL: no limit. */
  @Column('bigint', { nullable: true })
  quotaBytes!: number | null;

  /** Language tag of mails and notifications. */
  @Column('text', { default: 'en' })
  language!: string;

  /** Grows with each change of the password or of `enabled`; invalidates cached results of older credentials. */
  @Column('integer', { default: 1 })
  credentialsVersion!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of the last successful sign-in; NULL: never. */
  @Column('timestamptz', { nullable: true })
  lastLoginAt!: Date | null;

  /** Normalised user id, display name and address, for the search of sharees. */
  @ComputedColumn('text')
  searchText!: string | null;
}
