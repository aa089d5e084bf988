import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ShareEntity } from '../shares/share.entity';
import { ExactText } from '../columns';

/** A mail about a share that waits to be sent or was sent. */
@Entity('mail_outbox')
@Index('mail_outbox_by_recipient', ['recipientUid'], { where: 'recipient_uid IS NOT NULL' })
@Index('mail_outbox_by_sender', ['senderUid'])
@Index('mail_outbox_due', ['nextAttemptAt'], { where: 'sent_at IS NULL' })
@Index('mail_outbox_once', { synchronize: false })
@Check('mail_outbox_address_check', 'char_length(address) <= 254')
@Check('mail_outbox_note_check', 'char_length(note) <= 4000')
export class MailOutboxEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  shareId!: number;

  /** Account in whose name the mail is sent. */
  @ExactText()
  senderUid!: string;

  /** Account of the recipient; NULL: an address outside of the instance. */
  @ExactText({ nullable: true })
  recipientUid!: string | null;

  /** Mail address of the recipient. */
  @Column('text')
  address!: string;

  /** Text of the sender. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Attempts so far. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Earliest time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  nextAttemptAt!: Date;

  /** Reason of the last failure. */
  @Column('text', { nullable: true })
  lastError!: string | null;

  /** Time at which the mail server accepted it; NULL: not yet. */
  @Column('timestamptz', { nullable: true })
  sentAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'recipient_uid' })
  recipient?: UserAccountEntity | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'sender_uid' })
  sender?: UserAccountEntity;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity;
}
