import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A key of an account that a browser, a device or a security key keeps (WebAuthn). */
@Entity('passkey')
@Index('passkey_by_account', ['uid'])
@Unique('passkey_credential_id_key', ['credentialId'])
@Check('passkey_credential_id_check', 'octet_length(credential_id) BETWEEN 1 AND 1023')
@Check('passkey_public_key_check', 'octet_length(public_key) <= 4096')
@Check('passkey_name_check', 'char_length(name) BETWEEN 1 AND 64')
export class PasskeyEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** Id that its authenticator gave it. */
  @Column('bytea')
  credentialId!: Buffer;

  /** Public key, in COSE. */
  @Column('bytea')
  publicKey!: Buffer;

  /** Number of uses, if the authenticator counts them. A lower number reveals a copy. */
  @Column('bigint')
  signCount!: number;

  /** Ways in which browsers reach its authenticator, such as `usb`. */
  @Column('text', { array: true })
  transports!: string[];

  /** Name that its owner gave it. */
  @Column('text')
  name!: string;

  /** Time of the last answered challenge: that one and earlier ones are not valid any more. */
  @Column('timestamptz')
  challengedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Last sign-in; NULL: none. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
