import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';
import { NodeEntity } from './node.entity';

/** A content that waits to be written into a folder of a partner. If the received share ends first, it becomes a file of its writer. */
@Entity('stored_write')
@Index('stored_write_due', ['dueAt'])
@Index('stored_write_of_share', ['receivedShareId'])
@Index('stored_write_of_node', ['nodeId'])
@Index('stored_write_of_writer', ['writerUid'])
@Index('stored_write_of_peer', ['peerId'])
@Index('stored_write_by_blob', ['blobKey'], { unique: true })
@Check('stored_write_size_check', 'size >= 0')
export class StoredWriteEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** The received share with the folder; it may have ended. */
  @Column('bigint')
  receivedShareId!: number;

  /** Its partner. */
  @Column('bigint')
  peerId!: number;

  /** Path in the share; empty for a share of one file. */
  @ExactText()
  path!: string;

  /** Node that shows it; NULL: the write was refused, or the folder no longer exists at the partner. */
  @Column('bigint', { nullable: true })
  nodeId!: number | null;

  /** Account that wrote it, or the account whose share a visitor or partner used. */
  @ExactText()
  writerUid!: string;

  /** Name of the share, for texts about it. */
  @Column('text')
  shareName!: string;

  /** Host of the partner. */
  @ExactText()
  hostKey!: string;

  /** In bytes. */
  @Column('bigint')
  size!: number;

  /** Digest of the content in hexadecimal digits. */
  @ExactText()
  sha1!: string;

  /** Key of the content in the blob store. */
  @ExactText()
  blobKey!: string;

  /** Time of the last change, from its sender. */
  @Column('timestamptz')
  mtime!: Date;

  /** ETag of the file at the partner that it replaces; NULL: there must be no file. */
  @Column('text', { nullable: true })
  expects!: string | null;

  /** Digest of the last content that was sent there without a known answer; NULL for none. */
  @ExactText({ nullable: true })
  sentSha1!: string | null;

  /** Number of attempts; identifies the worker that has the claim. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** End of a worker's claim, which it can extend. */
  @Column('timestamptz', { nullable: true })
  heldUntil!: Date | null;

  /** Reason why it becomes a file of its writer; NULL while it has to be delivered. */
  @ExactText({ nullable: true })
  refusal!: string | null;

  /** A user or operator gave it up: it becomes a file of its writer at the next attempt. */
  @Column('boolean', { default: false })
  givenUp!: boolean;

  /** Failure of the last attempt. */
  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  storedAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'writer_uid' })
  writer?: UserAccountEntity;

  @ManyToOne(() => NodeEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity | null;
}
