import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ShareEntity } from '../shares/share.entity';
import { ExactText } from '../columns';
import { StorageEntity } from './storage.entity';

/** A file that is being uploaded in parts. */
@Entity('upload')
@Index('upload_of_user', ['uid', 'name'], { unique: true, where: 'uid IS NOT NULL' })
@Index('upload_of_share', ['shareId', 'name'], { unique: true, where: 'share_id IS NOT NULL' })
@Index('upload_by_storage', ['storageId'])
@Index('upload_by_touch', ['touchedAt'])
@Check('upload_check', '(uid IS NULL) <> (share_id IS NULL)')
@Check('upload_kind_check', `kind IN ('chunks', 'named-chunks', 'tus', 'tus-partial')`)
@Check('upload_name_check', 'octet_length(name) BETWEEN 1 AND 255')
@Check('upload_received_bytes_check', 'received_bytes >= 0')
@Check('upload_replaces_bytes_check', 'replaces_bytes >= 0')
@Check('upload_target_check', 'octet_length(target) <= 4000')
@Check('upload_total_size_check', 'total_size >= 0')
export class UploadEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Protocol of the upload; `tus-partial`: a part of a later upload. */
  @ExactText()
  kind!: string;

  /** Id in its address. */
  @ExactText()
  name!: string;

  /** Account of the sender; NULL: it comes through a share. */
  @ExactText({ nullable: true })
  uid!: string | null;

  /** Link or federated share through which it comes. */
  @Column('bigint', { nullable: true })
  shareId!: number | null;

  /** Tree whose quota counts the parts. */
  @Column('integer')
  storageId!: number;

  /** Path of the finished file in the sender's tree; NULL: named at the end. */
  @ExactText({ nullable: true })
  target!: string | null;

  /** Size of the whole file in bytes; NULL: named at the end. */
  @Column('bigint', { nullable: true })
  totalSize!: number | null;

  /** Size of the file that it replaces in bytes, if known at the start. */
  @Column('bigint', { default: 0 })
  replacesBytes!: number;

  /** Size of all parts in bytes. */
  @Column('bigint', { default: 0 })
  receivedBytes!: number;

  /** Grows with every change of the parts. */
  @Column('bigint', { default: 0 })
  revision!: number;

  /** Facts that the sender gave at the start, such as time and checksum. */
  @Column('jsonb', { default: {} })
  told!: unknown;

  /** The finished file; NULL: not finished. */
  @Column('bigint', { nullable: true })
  finishedNodeId!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of the last part; the upload expires some days later. */
  @Column('timestamptz', { default: () => 'now()' })
  touchedAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  sender?: UserAccountEntity | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity | null;

  @ManyToOne(() => StorageEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'storage_id' })
  storage?: StorageEntity;
}
