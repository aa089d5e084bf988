import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { Strength } from './strength';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A password that an account made for one client. */
@Entity('app_password')
@Index('app_password_secret', ['secretHash'], { unique: true })
@Index('app_password_by_account', ['uid', 'id'])
@Check('app_password_secret_hash_check', 'octet_length(secret_hash) = 32')
@Check('app_password_name_check', 'char_length(name) BETWEEN 1 AND 128')
@Check(
  'app_password_scopes_check',
  `cardinality(scopes) > 0 AND scopes <@ '{files,sharing,administration}'::text[]`,
)
@Check('app_password_strength_check', `strength IN ('one_factor', 'two_factors')`)
export class AppPasswordEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** Keyed hash of the password, which is random. */
  @Column('bytea')
  secretHash!: Buffer;

  /** Name for people; some clients set their own. */
  @Column('text')
  name!: string;

  /** `files`, `sharing`, `administration`. */
  @Column('text', { array: true })
  scopes!: string[];

  /** Whether requests that change something are refused. */
  @Column('boolean', { default: false })
  readOnly!: boolean;

  /** Time from which it is refused; NULL: never. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of the last request, to five minutes; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  /** `two_factors`: made in a session with a second factor; otherwise `one_factor`. */
  @ExactText({ default: 'one_factor' })
  strength!: Strength;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
