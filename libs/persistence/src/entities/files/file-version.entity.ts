import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';
import { NodeEntity } from './node.entity';

/** An earlier content of a file. */
@Entity('file_version')
@Index('file_version_by_node', ['nodeId', 'id'])
@Index('file_version_by_blob', ['blobKey'], { unique: true })
@Check('file_version_size_check', 'size > 0')
export class FileVersionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** File that had the content. */
  @Column('bigint')
  nodeId!: number;

  /** In bytes. */
  @Column('bigint')
  size!: number;

  /** Time of the last change of the content, as clients set it. */
  @Column('timestamptz')
  mtime!: Date;

  @Column('text')
  etag!: string;

  /** Key of the content in the blob store. */
  @ExactText()
  blobKey!: string;

  /** Checksums of the content, such as `SHA1:... MD5:... ADLER32:...`. */
  @Column('text', { nullable: true })
  checksum!: string | null;

  /** Kind of the author of the content: `user`, `visitor` of a link, or `partner`; NULL: not known. */
  @ExactText({ nullable: true })
  authorKind!: string | null;

  /** User id, or host of the partner; NULL for visitors of links. */
  @Column('text', { nullable: true })
  author!: string | null;

  /** Time at which the content was stored here. */
  @Column('timestamptz')
  storedAt!: Date;

  /** Name that a user gave to the version; a named version is not thinned out. */
  @Column('text', { nullable: true })
  label!: string | null;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;
}
