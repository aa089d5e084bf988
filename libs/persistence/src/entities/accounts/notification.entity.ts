import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText } from '../columns';

/** A stored notification of one account; others are computed. */
@Entity('notification')
@Index('notification_once', ['uid', 'app', 'objectType', 'objectId'], { unique: true })
export class NotificationEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** App that clients see as the sender of the notification. */
  @ExactText()
  app!: string;

  /** Kind of the object that the notification is about. */
  @ExactText()
  objectType!: string;

  /** Id of that object. */
  @ExactText()
  objectId!: string;

  /** First line, plain text. */
  @Column('text')
  subject!: string;

  /** Further text; empty: none. */
  @Column('text', { default: '' })
  message!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
