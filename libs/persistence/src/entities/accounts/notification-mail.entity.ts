import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A notification that waits to be sent by mail, too. The row is deleted after sending. */
@Entity('notification_mail')
@Index('notification_mail_by_account', ['uid'])
@Index('notification_mail_due', ['nextAttemptAt'])
@Check('notification_mail_subject_check', 'char_length(subject) <= 2000')
@Check('notification_mail_message_check', 'char_length(message) <= 4000')
export class NotificationMailEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Account that gets the mail, at the address that it has when the mail is sent. */
  @ExactText()
  uid!: string;

  /** Kind of the object that the notification is about; NULL: written by an earlier version. */
  @ExactText({ nullable: true })
  objectType!: string | null;

  /** Id of that object. */
  @ExactText({ nullable: true })
  objectId!: string | null;

  /** First line of the notification. */
  @Column('text')
  subject!: string;

  /** Further text; empty: none. */
  @Column('text', { default: '' })
  message!: string;

  /** Attempts so far. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Earliest time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  nextAttemptAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
