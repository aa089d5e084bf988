import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { ExactText } from '../columns';
import { ShareEntity } from './share.entity';

/** The last change of the content of a federated share that its recipient accepted. */
@Entity('content_change')
@Index('content_change_untold', ['changedAt'], { where: 'told_revision < revision' })
export class ContentChangeEntity {
  @PrimaryColumn('bigint')
  shareId!: number;

  /** Number of the last change. */
  @Column('integer', { default: 1 })
  revision!: number;

  /** Number of the change that the last message describes; less than `revision` while a change waits. */
  @Column('integer', { default: 0 })
  toldRevision!: number;

  /** Path of the changed node in its storage; NULL for several. */
  @ExactText({ nullable: true })
  path!: string | null;

  /** Time of the first change that waits for a message. */
  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;

  @OneToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id', foreignKeyConstraintName: 'content_change_share_id_fkey' })
  share!: ShareEntity;
}
