import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { PeerEntity } from '../partners/peer.entity';
import { ExactText } from '../columns';

/** A message of a partner that was processed, with the answer that repetitions get. */
@Entity('inbox_message')
@Index('inbox_message_age', ['receivedAt'])
@Index('inbox_message_by_hash', ['dedupeHash'])
export class InboxMessageEntity {
  @PrimaryColumn('bigint')
  peerId!: number;

  /** Hash that identifies the message. */
  @PrimaryColumn('bytea')
  dedupeHash!: Buffer;

  /** Kind of the message. */
  @ExactText()
  kind!: string;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt!: Date;

  /** Status of our answer. */
  @Column('smallint')
  httpStatus!: number;

  /** Body of our answer. */
  @Column('jsonb', { nullable: true })
  reply!: unknown;

  @ManyToOne(() => PeerEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}
