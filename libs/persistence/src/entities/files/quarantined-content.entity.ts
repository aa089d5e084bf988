import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** An upload with a finding of the scanner, kept for operators. */
@Entity('quarantined_content')
@Index('quarantined_content_of_owner', ['ownerUid'])
@Index('quarantined_content_by_time', ['keptAt'])
@Index('quarantined_content_by_blob', ['blobKey'], { unique: true })
@Check('quarantined_content_path_check', 'octet_length(path) BETWEEN 1 AND 4000')
@Check('quarantined_content_size_check', 'size > 0')
export class QuarantinedContentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Account to whose files it would belong. */
  @ExactText()
  ownerUid!: string;

  /** Path that it gets when it is released. */
  @ExactText()
  path!: string;

  /** Name of the finding, from the scanner. */
  @Column('text')
  finding!: string;

  /** Kind of the sender: `user`, `visitor` of a link, or `partner`; NULL: not known. */
  @ExactText({ nullable: true })
  authorKind!: string | null;

  /** User id, or host of the partner; NULL for visitors of links. */
  @Column('text', { nullable: true })
  author!: string | null;

  /** Link or federated share through which it came; it may have ended. */
  @Column('bigint', { nullable: true })
  shareId!: number | null;

  /** In bytes. */
  @Column('bigint')
  size!: number;

  /** Digest of the content in hexadecimal digits. */
  @ExactText()
  sha1!: string;

  /** Key of the content in the blob store. */
  @ExactText()
  blobKey!: string;

  /** Time of arrival; it is removed some days later. */
  @Column('timestamptz', { default: () => 'now()' })
  keptAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'owner_uid' })
  owner?: UserAccountEntity;
}
