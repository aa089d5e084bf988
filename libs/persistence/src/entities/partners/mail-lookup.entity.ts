import { Check, Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { ExactText } from '../columns';

/** A mail address that somebody here searched for, with the account that its server names. Deleted soon after it expires. */
@Entity('mail_lookup')
@Unique(['mail'])
@Index('mail_lookup_expiry', ['expiresAt'])
@Check('mail_lookup_check', `(state = 'found') = (cloud_id IS NOT NULL)`)
@Check('mail_lookup_cloud_id_check', 'octet_length(cloud_id) BETWEEN 1 AND 2048')
@Check('mail_lookup_mail_check', 'octet_length(mail) BETWEEN 3 AND 1024')
@Check('mail_lookup_state_check', `state IN ('waiting', 'found', 'none', 'failed')`)
export class MailLookupEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** The whole address, in lower case. */
  @ExactText()
  mail!: string;

  /** `waiting` until its server was asked; then `found`, `none`, or `failed` if the server could not be asked. */
  @ExactText({ default: 'waiting' })
  state!: string;

  /** The account that its server names. */
  @ExactText({ nullable: true })
  cloudId!: string | null;

  /** Reason of a failure, for operators. */
  @Column('text', { default: '' })
  reason!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The row counts until then. */
  @Column('timestamptz')
  expiresAt!: Date;
}
