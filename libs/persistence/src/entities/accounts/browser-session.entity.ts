import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { Strength } from './strength';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A browser in which somebody is signed in. */
@Entity('browser_session')
@Index('browser_session_secret', ['secretHash'], { unique: true })
@Index('browser_session_by_account', ['uid'])
@Index('browser_session_end', ['endsAt'])
@Index('browser_session_by_issuer_session', ['issuerSession'], { where: 'issuer_session IS NOT NULL' })
@Check('browser_session_issuer_check', 'char_length(issuer) <= 512')
@Check('browser_session_issuer_session_check', 'char_length(issuer_session) <= 255')
@Check('browser_session_secret_hash_check', 'octet_length(secret_hash) = 32')
@Check('browser_session_password_digest_check', 'octet_length(password_digest) = 32')
@Check('browser_session_user_agent_check', 'char_length(user_agent) <= 256')
@Check('browser_session_strength_check', `strength IN ('one_factor', 'two_factors')`)
export class BrowserSessionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** SHA-256 of the secret in the browser's cookie. */
  @Column('bytea')
  secretHash!: Buffer;

  /** SHA-256 of the stored password at the sign-in: the session ends with that password. */
  @Column('bytea')
  passwordDigest!: Buffer;

  /** Name that the browser gave itself. */
  @Column('text')
  userAgent!: string;

  /** Address from which the account signed in. */
  @ExactText()
  address!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of the last request, to the minute. */
  @Column('timestamptz', { default: () => 'now()' })
  usedAt!: Date;

  /** Time after which the account has to sign in again in any case. */
  @Column('timestamptz')
  endsAt!: Date;

  /** `two_factors`: the account signed in with a second factor; otherwise `one_factor`. */
  @ExactText({ default: 'one_factor' })
  strength!: Strength;

  /** Issuer of OpenID Connect that confirmed the sign-in; NULL for a sign-in by password. */
  @ExactText({ nullable: true })
  issuer!: string | null;

  /** Id of the session there (`sid`), with which the issuer can end it; NULL if it sends none. */
  @ExactText({ nullable: true })
  issuerSession!: string | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
