import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A share that its recipient at a partner declined or left; kept for 30 days. */
@Entity('ended_share')
@Index('ended_share_age', ['endedAt'])
@Index('ended_share_by_initiator', ['initiatorUid'])
@Index('ended_share_by_owner', ['ownerUid'])
@Check('ended_share_ended_check', `ended IN ('declined', 'left')`)
@Check('ended_share_node_kind_check', `node_kind IN ('file', 'folder')`)
@Check('ended_share_permissions_check', 'permissions BETWEEN 0 AND 31')
export class EndedShareEntity {
  /** Id of the ended share. */
  @PrimaryColumn('bigint')
  id!: number;

  /** Owner of the node. */
  @ExactText()
  ownerUid!: string;

  /** Account that created the share. */
  @ExactText()
  initiatorUid!: string;

  /** Federated cloud id as it was given. */
  @ExactText()
  recipient!: string;

  /** Shared node, which may be gone. */
  @Column('bigint')
  nodeId!: number;

  /** Name of the node when the share ended. */
  @ExactText()
  nodeName!: string;

  /** `file` or `folder`. */
  @ExactText()
  nodeKind!: string;

  /** Bits: 1 read, 2 update, 4 create, 8 delete, 16 share. */
  @Column('smallint')
  permissions!: number;

  /** Last day of the share; NULL: none. */
  @Column('date', { nullable: true })
  expiresOn!: string | null;

  /** Time at which the share was made. */
  @Column('timestamptz')
  createdAt!: Date;

  /** `declined` before it was accepted, `left` afterwards. */
  @ExactText()
  ended!: string;

  /** Text of the recipient; NULL: none. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  endedAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'initiator_uid' })
  initiator?: UserAccountEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'owner_uid' })
  owner?: UserAccountEntity;
}
