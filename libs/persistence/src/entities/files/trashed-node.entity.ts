import { Column, Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';
import { NodeEntity } from './node.entity';

/** A deleted file, or a deleted folder with everything below it, in the trash bin of its owner. */
@Entity('trashed_node')
@Index('trashed_node_by_time', ['ownerUid', 'deletedAt', 'nodeId'])
@Index('trashed_node_oldest', ['deletedAt', 'nodeId'])
@Index('trashed_node_once', ['ownerUid', 'name', 'deletedAt'], { unique: true })
export class TrashedNodeEntity {
  @PrimaryColumn('bigint')
  nodeId!: number;

  /** Account that owns the node. */
  @ExactText()
  ownerUid!: string;

  /** Former name of the node. */
  @ExactText()
  name!: string;

  /** Path of its former folder, in the tree of its owner; empty for the root. */
  @ExactText()
  folderPath!: string;

  /** Time of the deletion in whole seconds; a later second if the owner has the same name with this time already. */
  @Column('timestamptz')
  deletedAt!: Date;

  /** Kind of the person who deleted it, as in `audit_event`, or `visitor` of a link. */
  @ExactText()
  actorKind!: string;

  /** User id, or host of the partner; NULL for visitors of links. */
  @Column('text', { nullable: true })
  actor!: string | null;

  /** Share through which it was deleted; NULL: deleted by its owner. The share may be gone. */
  @Column('bigint', { nullable: true })
  shareId!: number | null;

  @OneToOne(() => NodeEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'owner_uid' })
  owner?: UserAccountEntity;
}
