import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';
import { NodeEntity } from '../files/node.entity';
import { ShareEntity } from './share.entity';

/** A federated share that ended when its node was moved to the trash bin. Its recipient gets a new offer when the node is restored. */
@Entity('trashed_offer')
@Index('trashed_offer_by_initiator', ['initiatorUid'])
@Index('trashed_offer_by_link', ['linkId'], { where: 'link_id IS NOT NULL' })
@Index('trashed_offer_by_node', ['nodeId'])
export class TrashedOfferEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Shared node. */
  @Column('bigint')
  nodeId!: number;

  /** Account that created the share. */
  @ExactText()
  initiatorUid!: string;

  /** Federated cloud id as it was given. */
  @ExactText()
  recipient!: string;

  /** Canonical form of `recipient`. */
  @ExactText()
  recipientCanonical!: string;

  /** Bits: 1 read, 2 update, 4 create, 8 delete, 16 share. */
  @Column('smallint')
  permissions!: number;

  /** Last day of the share; NULL: none. */
  @Column('date', { nullable: true })
  expiresOn!: string | null;

  /** Public link from which it was made; NULL: none. */
  @Column('bigint', { nullable: true })
  linkId!: number | null;

  /** Share attributes as JSON text; NULL: none. */
  @Column('text', { nullable: true })
  attributes!: string | null;

  /** Note of its maker to the recipient; NULL: none. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Whether the recipient of a federated share is a group there. */
  @Column('boolean', { default: false })
  recipientIsGroup!: boolean;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'initiator_uid' })
  initiator?: UserAccountEntity;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'link_id' })
  link?: ShareEntity | null;
}
