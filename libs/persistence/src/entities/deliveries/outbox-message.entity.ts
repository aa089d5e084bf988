import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { PeerEntity } from '../partners/peer.entity';
import { ExactText } from '../columns';

/** A message to a partner that has to be delivered. */
@Entity('outbox_message')
@Index('outbox_message_by_subject', ['subjectType', 'subjectId', 'id'])
@Index('outbox_message_due', ['peerId', 'availableAt', 'id'], { where: `state = 'pending'` })
@Index('outbox_message_finished', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Index('outbox_message_given_up', ['peerId', 'id'], { where: `state IN ('dead', 'refused', 'cancelled')` })
@Index('outbox_message_under_way', ['peerId', 'leaseUntil'], { where: `state IN ('queued', 'inflight')` })
@Check('outbox_message_origin_check', 'octet_length(origin) <= 128')
@Check(
  'outbox_message_state_check',
  `state IN ('pending', 'queued', 'inflight', 'delivered', 'not-sent', 'refused', 'dead', 'cancelled', 'superseded')`,
)
@Check(
  'outbox_message_subject_type_check',
  `subject_type IN ('share', 'received-share', 'reshare', 'share-request')`,
)
export class OutboxMessageEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Kind of the subject: a share, a received share, a reshare, or a request for a share. */
  @ExactText()
  subjectType!: string;

  /** Id of the subject. */
  @Column('bigint')
  subjectId!: number;

  @Column('bigint')
  peerId!: number;

  /** Kind of the message. */
  @ExactText()
  kind!: string;

  /** Revision of the subject that the message describes. */
  @Column('integer')
  revision!: number;

  /** Key of the event, so that it is recorded only once. */
  @ExactText({ unique: true })
  dedupeKey!: string;

  /** Content of the message; it contains no secret. */
  @Column('jsonb')
  payload!: unknown;

  /** Secret in the message, encrypted. */
  @Column('bytea', { nullable: true })
  sealedSecret!: Buffer | null;

  /** State of the delivery. */
  @ExactText({ default: 'pending' })
  state!: string;

  /** Number of the claim; a worker with an older number has lost its claim. */
  @Column('integer', { default: 0 })
  round!: number;

  /** Attempts so far. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Whether an attempt ended without an answer, so that the partner may have the message. */
  @Column('boolean', { default: false })
  maybeDelivered!: boolean;

  /** Earliest time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt!: Date;

  /** End of the present claim. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  /** Time after which the delivery is given up. */
  @Column('timestamptz')
  deadlineAt!: Date;

  /** Class of the last failure. */
  @ExactText({ nullable: true })
  errorClass!: string | null;

  /** Text of the last failure. */
  @Column('text', { nullable: true })
  errorMessage!: string | null;

  /** Parsed answer of the partner. */
  @Column('jsonb', { nullable: true })
  reply!: unknown;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time at which the delivery ended. */
  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  /** Trace and request that caused the message. */
  @ExactText({
    nullable: true,
    default: () =>
      `((NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb ->> 'origin'::text)`,
  })
  origin!: string | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}
