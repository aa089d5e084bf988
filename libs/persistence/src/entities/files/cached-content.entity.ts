import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';
import { NodeEntity } from './node.entity';

/** Content of a partner's file that somebody has read. The next reader gets it when the partner says that it is still current. */
@Entity('cached_content')
@Index('cached_content_of_node', ['nodeId'], { unique: true })
@Index('cached_content_by_time', ['checkedAt'])
@Index('cached_content_by_blob', ['blobKey'], { unique: true })
@Check('cached_content_size_check', 'size >= 0')
export class CachedContentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Node of the file; NULL once the file or its share is gone: the content is removed at the next opportunity. */
  @Column('bigint', { nullable: true })
  nodeId!: number | null;

  /** ETag that the partner gave the content. */
  @ExactText()
  etag!: string;

  /** Bytes. */
  @Column('bigint')
  size!: number;

  /** Time at which the partner says the file was last changed; NULL where it does not say. */
  @Column('timestamptz', { nullable: true })
  mtime!: Date | null;

  /** Key of the content in the blob store. */
  @ExactText()
  blobKey!: string;

  /** Time at which the partner last said that the content is current, exact to five minutes. */
  @Column('timestamptz', { default: () => 'now()' })
  checkedAt!: Date;

  @ManyToOne(() => NodeEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity | null;
}
