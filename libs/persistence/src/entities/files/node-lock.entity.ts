import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';
import { ShareEntity } from '../shares/share.entity';
import { NodeEntity } from './node.entity';
import { StorageEntity } from './storage.entity';

/** A WebDAV lock of a file or folder. It ends with its node, with its maker, or with the share through which it was made. */
@Entity('node_lock')
@Index('node_lock_by_token', ['token'], { unique: true })
@Index('node_lock_by_node', ['nodeId'])
@Index('node_lock_by_storage', ['storageId'])
@Index('node_lock_by_user', ['uid'], { where: 'uid IS NOT NULL' })
@Index('node_lock_by_share', ['shareId'], { where: 'share_id IS NOT NULL' })
@Index('node_lock_by_end', ['expiresAt'])
@Check('node_lock_check', '(uid IS NULL) <> (share_id IS NULL)')
@Check('node_lock_check1', `kind = 'token' OR (uid IS NOT NULL AND is_exclusive AND NOT is_deep)`)
@Check('node_lock_kind_check', `kind IN ('token', 'user')`)
@Check('node_lock_owner_xml_check', 'octet_length(owner_xml) <= 4096')
@Check('node_lock_timeout_seconds_check', 'timeout_seconds > 0')
export class NodeLockEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Random part of its lock token. */
  @Column('uuid')
  token!: string;

  /** The locked file or folder. */
  @Column('bigint')
  nodeId!: number;

  /** Storage of that file or folder. */
  @Column('integer')
  storageId!: number;

  /** `token`: its maker has to send its token; `user`: its maker passes without. */
  @ExactText()
  kind!: string;

  /** Whether it excludes other locks. */
  @Column('boolean')
  isExclusive!: boolean;

  /** Whether it also covers everything below a folder. */
  @Column('boolean')
  isDeep!: boolean;

  /** Account that made it; NULL: made through a share. */
  @ExactText({ nullable: true })
  uid!: string | null;

  /** Link or federated share through which it was made. */
  @Column('bigint', { nullable: true })
  shareId!: number | null;

  /** The maker's own description as XML; NULL: none. */
  @Column('text', { nullable: true })
  ownerXml!: string | null;

  /** Seconds from its creation, or its last refresh, to its end. */
  @Column('integer')
  timeoutSeconds!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of its end. */
  @Column('timestamptz')
  expiresAt!: Date;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;

  @ManyToOne(() => StorageEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'storage_id' })
  storage?: StorageEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  maker?: UserAccountEntity | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity | null;
}
