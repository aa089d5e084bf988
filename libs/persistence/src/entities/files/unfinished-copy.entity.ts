import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { StorageEntity } from './storage.entity';

/** A copy between servers that has another name until it is complete. */
@Entity('unfinished_copy')
@Index('unfinished_copy_by_storage', ['storageId'])
@Index('unfinished_copy_by_sight', ['seenAt'])
export class UnfinishedCopyEntity {
  /** Random name of its entry. */
  @ExactTextKey()
  name!: string;

  /** Tree in which it is made. */
  @Column('integer')
  storageId!: number;

  /** Path of its entry in the tree. */
  @ExactText()
  path!: string;

  @Column('timestamptz', { default: () => 'now()' })
  begunAt!: Date;

  /** Time of the last sign of life from the replica that works on it. */
  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  @ManyToOne(() => StorageEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'storage_id' })
  storage?: StorageEntity;
}
