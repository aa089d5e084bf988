import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { Strength } from './strength';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A client's request for an app password, on which a user decides in a browser. */
@Entity('login_flow')
@Index('login_flow_login', ['loginHash'], { unique: true })
@Index('login_flow_poll', ['pollHash'], { unique: true })
@Index('login_flow_end', ['expiresAt'])
@Index('login_flow_by_account', ['uid'], { where: 'uid IS NOT NULL' })
@Check('login_flow_login_hash_check', 'octet_length(login_hash) = 32')
@Check('login_flow_poll_hash_check', 'octet_length(poll_hash) = 32')
@Check('login_flow_client_check', 'char_length(client) BETWEEN 1 AND 128')
@Check('login_flow_strength_check', `strength IN ('one_factor', 'two_factors')`)
export class LoginFlowEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Keyed hash of the token in the address that the browser opens. */
  @Column('bytea')
  loginHash!: Buffer;

  /** Keyed hash of the token with which the client fetches its app password. */
  @Column('bytea')
  pollHash!: Buffer;

  /** Name that the client gave itself. */
  @Column('text')
  client!: string;

  /** Address of the client at the start. */
  @ExactText()
  address!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Account that granted it; NULL: not granted yet. */
  @ExactText({ nullable: true })
  uid!: string | null;

  /** Whether the app password will be for reading only. */
  @Column('boolean', { default: false })
  readOnly!: boolean;

  /** `two_factors`: granted in a session with a second factor; otherwise `one_factor`. */
  @ExactText({ default: 'one_factor' })
  strength!: Strength;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity | null;
}
