import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { StorageEntity } from './storage.entity';
import { ComputedColumn, ExactText } from '../columns';

/** A file or folder. */
@Entity('node')
@Index('node_by_blob', ['blobKey'], { unique: true, where: 'blob_key IS NOT NULL' })
@Index('node_by_parent', ['parentId', 'name'], { unique: true })
@Index('node_by_path', ['storageId', 'pathHash'], { unique: true })
@Index('node_of_received_share', ['receivedShareId'], {
  unique: true,
  where: 'received_share_id IS NOT NULL AND parent_id IS NULL',
})
@Check('node_check1', `(parent_id IS NULL) = (strpos(path, '/') = 0)`)
@Check(
  'node_content',
  `CASE WHEN received_share_id IS NULL THEN ((kind = 'file') = (blob_key IS NOT NULL)) ELSE (blob_key IS NULL) END`,
)
@Check('node_kind_check', `kind IN ('file', 'folder')`)
@Check('node_name_check', 'octet_length(name) <= 255')
@Check('node_path_check', `octet_length(path) <= CASE WHEN starts_with(path, '~') THEN 4024 ELSE 4000 END`)
@Check('node_size_check', 'size >= 0')
export class NodeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Tree of the node. */
  @Column('integer')
  storageId!: number;

  /** Folder of the node; NULL: the root of its tree, and the top of a deleted tree in the trash bin. */
  @Column('bigint', { nullable: true })
  parentId!: number | null;

  /** Account that owns the tree. */
  @ExactText()
  ownerUid!: string;

  /** Name in the folder; empty for a root. */
  @ExactText()
  name!: string;

  /** Path in the tree, beginning with a slash; empty for a root. In the trash bin it begins with `~` and the id of the deleted node. */
  @ExactText()
  path!: string;

  /** Hash of `path`, for look-ups by path. */
  @ComputedColumn('uuid')
  pathHash!: string | null;

  /** `file` or `folder`. */
  @ExactText()
  kind!: string;

  /** Media type; `httpd/unix-directory` for folders. */
  @Column('text')
  mimetype!: string;

  /** Size in bytes; for a folder, all bytes below it. */
  @Column('bigint', { default: 0 })
  size!: number;

  /** Time of the last change of the content, as clients set it. */
  @Column('timestamptz')
  mtime!: Date;

  /** Changes with the content; a folder's changes with everything below it. */
  @Column('text')
  etag!: string;

  /** Key of the content in the blob store; NULL: a folder, or content at a partner. */
  @ExactText({ nullable: true })
  blobKey!: string | null;

  /** Checksums of the content, such as `SHA1:... MD5:... ADLER32:...`. */
  @Column('text', { nullable: true })
  checksum!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Kind of the author of the content: `user`, `visitor` of a link, or `partner`; NULL: a folder, or not known. */
  @ExactText({ nullable: true })
  authorKind!: string | null;

  /** User id, or host of the partner; NULL for visitors of links. */
  @Column('text', { nullable: true })
  author!: string | null;

  /** Time at which the content was stored here; NULL: older than this column. */
  @Column('timestamptz', { nullable: true })
  storedAt!: Date | null;

  /** Copy of the storage's received share, so that one read tells the owner of the content. */
  @Column('bigint', { nullable: true })
  receivedShareId!: number | null;

  /** ETag of the node from the partner's server. */
  @Column('text', { nullable: true })
  partnerEtag!: string | null;

  /** Time at which the partner's folder was last read with its entries; NULL: never. */
  @Column('timestamptz', { nullable: true })
  listedAt!: Date | null;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'parent_id' })
  parent?: NodeEntity | null;

  @ManyToOne(() => StorageEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'storage_id' })
  storage?: StorageEntity;
}
