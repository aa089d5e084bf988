import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { OutboxMessageEntity } from './outbox-message.entity';
import { ExactText } from '../columns';

/** One attempt to deliver a message. */
@Entity('delivery_attempt')
export class DeliveryAttemptEntity {
  @PrimaryColumn('bigint')
  messageId!: number;

  /** Number of the attempt, counted from 1. */
  @Column('integer')
  attempt!: number;

  /** Number of the claim to which the attempt belongs. */
  @PrimaryColumn('integer')
  round!: number;

  @Column('timestamptz', { default: () => 'now()' })
  at!: Date;

  /** Outcome of the attempt. */
  @ExactText()
  outcome!: string;

  /** Class of the failure. */
  @ExactText({ nullable: true })
  errorClass!: string | null;

  /** Text of the failure. */
  @Column('text', { nullable: true })
  errorMessage!: string | null;

  /** Address to which the message was sent. */
  @Column('text', { nullable: true })
  endpoint!: string | null;

  /** Dialect of the message. */
  @Column('text', { nullable: true })
  dialect!: string | null;

  /** Status of the partner's answer. */
  @Column('smallint', { nullable: true })
  httpStatus!: number | null;

  /** Duration in milliseconds. */
  @Column('integer', { nullable: true })
  durationMs!: number | null;

  /** Beginning of the partner's answer. */
  @Column('text', { nullable: true })
  excerpt!: string | null;

  @ManyToOne(() => OutboxMessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id' })
  message?: OutboxMessageEntity;
}
