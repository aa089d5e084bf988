import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';
import { NodeEntity } from './node.entity';

/** Content of a partner's file that a user has read. The next reader gets it if the partner confirms that it is still current. */
@Entity('cached_content')
@Index('cached_content_of_node', ['nodeId'], { unique: true })
@Index('cached_content_by_time', ['checkedAt'])
@Index('cached_content_by_blob', ['blobKey'], { unique: true })
@Check('cached_content_size_check', 'size >= 0')
export class CachedContentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /**
   * Node of the file; NULL after the file or its share is deleted: the content is then removed at the next opportunity.
   */
  @Column('bigint', { nullable: true })
  nodeId!: number | null;

  /** ETag of the content from the partner. */
  @ExactText()
  etag!: string;

  /** Bytes. */
  @Column('bigint')
  size!: number;

  /** Time of the file's last change by the partner's answer; NULL if the answer has none. */
  @Column('timestamptz', { nullable: true })
  mtime!: Date | null;

  /** Key of the content in the blob store. */
  @ExactText()
  blobKey!: string;

  /** Time at which the partner last confirmed the content, exact to five minutes. */
  @Column('timestamptz', { default: () => 'now()' })
  checkedAt!: Date;

  @ManyToOne(() => NodeEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity | null;
}
