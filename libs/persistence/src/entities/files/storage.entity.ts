import { Column, Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ReceivedShareEntity } from '../shares/received-share.entity';
import { ExactText } from '../columns';

/** A tree of nodes: of one account, or of one received share. */
@Entity('storage')
@Index('storage_by_owner', ['ownerUid'], { unique: true, where: 'received_share_id IS NULL' })
@Index('storage_of_owner', ['ownerUid'])
export class StorageEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Name on the wire, such as `home::alice`. */
  @ExactText({ unique: true })
  key!: string;

  /** Account that owns the tree. */
  @ExactText()
  ownerUid!: string;

  /** Received share whose content the tree shows; NULL: files of our own. */
  @Column('bigint', { nullable: true, unique: true })
  receivedShareId!: number | null;

  /** Time of the last change that the partner reported. */
  @Column('timestamptz', { nullable: true })
  changedAt!: Date | null;

  /** Number of the owner's files and folders, without the root; NULL in an older storage until the number is needed. */
  @Column('bigint', { nullable: true, default: 0 })
  nodeCount!: number | null;

  /** Bytes of all versions of its files. */
  @Column('bigint', { default: 0 })
  versionBytes!: number;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'owner_uid' })
  owner?: UserAccountEntity;

  @OneToOne(() => ReceivedShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'received_share_id' })
  receivedShare?: ReceivedShareEntity | null;
}
