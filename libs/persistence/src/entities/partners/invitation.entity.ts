import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ContactEntity } from './contact.entity';
import { PeerEntity } from './peer.entity';
import { ExactText } from '../columns';

/** An invitation that one of our users made. */
@Entity('invitation')
@Index('invitation_age', ['expiresAt'])
@Index('invitation_by_user', ['uid', 'id'])
@Index('invitation_to_mail', ['mailAt'], { where: 'mail_at IS NOT NULL' })
@Check('invitation_check', '(mail_at IS NULL) = (sealed_token IS NULL)')
@Check('invitation_mail_to_check', 'char_length(mail_to) <= 254')
export class InvitationEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** Keyed hash of the invitation's token. */
  @Column('bytea', { unique: true })
  tokenHmac!: Buffer;

  /** Note of the inviting user. */
  @Column('text', { default: '' })
  description!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Expiry of the invitation. */
  @Column('timestamptz')
  expiresAt!: Date;

  /** Time of the acceptance; NULL: still open. */
  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;

  /** Address that the invitation is mailed to. */
  @Column('text', { nullable: true })
  mailTo!: string | null;

  /** Token, encrypted, until the mail was sent. */
  @Column('bytea', { nullable: true })
  sealedToken!: Buffer | null;

  /** Attempts to mail it so far. */
  @Column('integer', { default: 0 })
  mailAttempts!: number;

  /** Time of the next attempt to mail it. */
  @Column('timestamptz', { nullable: true })
  mailAt!: Date | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}

/** A partner's invitation that one of our users accepts. */
@Entity('invitation_acceptance')
@Index('invitation_acceptance_age', ['createdAt'])
@Check('invitation_acceptance_check', `(state = 'waiting') = (sealed_token IS NOT NULL)`)
@Check('invitation_acceptance_state_check', `state IN ('waiting', 'accepted', 'refused')`)
export class InvitationAcceptanceEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  @Column('bigint')
  peerId!: number;

  /** Token of the invitation, encrypted, until the partner got our message. */
  @Column('bytea', { nullable: true })
  sealedToken!: Buffer | null;

  /** `waiting`, `accepted` or `refused`. */
  @ExactText({ default: 'waiting' })
  state!: string;

  /** Reason of a refusal, for the user. */
  @Column('text', { default: '' })
  reason!: string;

  /** The resulting contact. */
  @Column('bigint', { nullable: true })
  contactId!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => ContactEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'contact_id' })
  contact?: ContactEntity | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
