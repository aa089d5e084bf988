import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { PeerEntity } from '../partners/peer.entity';
import { ComputedColumn, ExactText } from '../columns';
import { MOUNTED } from '../../received-states';

/** A share that a partner offered to one of our accounts. */
@Entity('received_share')
@Index('received_share_below', ['recipientUid', 'fileTarget'], {
  where: `state IN ${MOUNTED}`,
})
@Index('received_share_by_folder', ['recipientUid', 'folderHash'], {
  where: `state IN ${MOUNTED}`,
})
@Index('received_share_by_provider_id', ['providerId', 'peerId'])
@Index('received_share_by_recipient', ['recipientUid', 'state', 'id'])
@Index('received_share_by_secret', ['tokenHmac', 'providerId'])
@Index('received_share_by_target', ['recipientUid', 'targetHash'], {
  where: `state IN ${MOUNTED}`,
})
@Index('received_share_by_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('received_share_gone', ['goneAt'], { where: `state = 'gone'` })
@Index('received_share_once', ['peerId', 'providerId', 'tokenHmac', 'recipientUid'], { unique: true })
@Index('received_share_in_use', ['peerId', 'usedAt'], { where: 'used_at IS NOT NULL' })
@Index('received_share_to_look', ['peerId', 'lookAt'], { where: 'look_at IS NOT NULL' })
@Index('received_share_unplaced', ['recipientUid'], {
  where: `(state IN ${MOUNTED}) AND file_target IS NULL`,
})
@Index('received_share_shut', ['peerId'], { where: 'content_shut_until IS NOT NULL' })
@Check('received_share_file_target_check', 'octet_length(file_target) <= 4000')
@Check('received_share_kind_check', `kind IN ('file', 'folder')`)
@Check('received_share_name_check', 'octet_length(name) BETWEEN 1 AND 255')
@Check('received_share_permissions_check', 'permissions BETWEEN 0 AND 31')
@Check('received_share_provider_id_check', 'octet_length(provider_id) BETWEEN 1 AND 512')
@Check('received_share_size_check', 'size >= 0')
@Check('received_share_state_check', `state IN ('pending', 'accepted', 'declined', 'gone', 'quarantined')`)
export class ReceivedShareEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Partner that made the offer. */
  @Column('bigint')
  peerId!: number;

  /** Id of the share at the partner. */
  @ExactText()
  providerId!: string;

  /** Keyed hash of the shared secret. */
  @Column('bytea')
  tokenHmac!: Buffer;

  /** The shared secret, encrypted. */
  @Column('bytea')
  tokenEnc!: Buffer;

  /** Account that the share is for. */
  @ExactText()
  recipientUid!: string;

  /** Federated cloud id of the owner. */
  @Column('text')
  owner!: string;

  /** Name of the owner, as the partner sent it. */
  @Column('text', { default: '' })
  ownerDisplayName!: string;

  /** Federated cloud id of the person who shared. */
  @Column('text')
  sender!: string;

  /** Name of that person, as the partner sent it. */
  @Column('text', { default: '' })
  senderDisplayName!: string;

  /** Name of the shared node. */
  @ExactText()
  name!: string;

  /** Note of the sender. */
  @Column('text', { default: '' })
  description!: string;

  /** `file` or `folder`; NULL: not known yet. */
  @ExactText({ nullable: true })
  kind!: string | null;

  /** Bits that the partner granted. */
  @Column('smallint')
  permissions!: number;

  /** Expiry in the offer; NULL: none. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  /** Dialect of the offer. */
  @ExactText()
  dialect!: string;

  /** Location of the content, and how it is accessed. */
  @Column('jsonb', { default: () => `'{}'` })
  access!: unknown;

  /** Secret of its web application, encrypted; NULL if it has none, or the same secret. */
  @Column('bytea', { nullable: true })
  webappTokenEnc!: Buffer | null;

  /** Whether the partner's server confirmed the offer. */
  @Column('boolean', { default: false })
  verified!: boolean;

  /** `pending`, `accepted`, `declined`, `gone` or `quarantined`. */
  @ExactText({ default: 'pending' })
  state!: string;

  /** Grows with each decision and each change. */
  @Column('integer', { default: 0 })
  revision!: number;

  /** Mount point in the recipient's tree; NULL: not placed yet. */
  @ExactText({ nullable: true })
  fileTarget!: string | null;

  /** Hash of `file_target`, for look-ups by path. */
  @ComputedColumn('uuid')
  targetHash!: string | null;

  /** Hash of the folder of `file_target`, for listings. */
  @ComputedColumn('uuid')
  folderHash!: string | null;

  /** Media type of the content, as last seen. */
  @Column('text', { nullable: true })
  mimetype!: string | null;

  /** Bytes of the content, as last seen. */
  @Column('bigint', { nullable: true })
  size!: number | null;

  /** Time of the last change of the content, as last seen. */
  @Column('timestamptz', { nullable: true })
  mtime!: Date | null;

  /** ETag of the content, as last seen. */
  @Column('text', { nullable: true })
  etag!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt!: Date;

  /** Time at which the recipient saw the offer; NULL: not yet. */
  @Column('timestamptz', { nullable: true })
  seenAt!: Date | null;

  /** Expiry of which the recipient was reminded; NULL: none. */
  @Column('timestamptz', { nullable: true })
  remindedOf!: Date | null;

  /** Time of the recipient's decision; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  /** Time at which the partner last showed the content. */
  @Column('timestamptz', { nullable: true })
  lastSeenAt!: Date | null;

  /** Time since which the partner's server has not answered. */
  @Column('timestamptz', { nullable: true })
  unreachableSince!: Date | null;

  /** Time since which the partner's server has refused the share. */
  @Column('timestamptz', { nullable: true })
  quarantinedAt!: Date | null;

  /** Time of the last probe of the content. */
  @Column('timestamptz', { nullable: true })
  lastProbeAt!: Date | null;

  /** Number of failed probes in a row. */
  @Column('smallint', { default: 0 })
  failedProbes!: number;

  /** Time at which the share ended. */
  @Column('timestamptz', { nullable: true })
  goneAt!: Date | null;

  /** Access token that was obtained for the secret, encrypted. */
  @Column('bytea', { nullable: true })
  accessTokenEnc!: Buffer | null;

  /** Expiry of that access token. */
  @Column('timestamptz', { nullable: true })
  accessTokenExpiresAt!: Date | null;

  /** Time of the next probe; NULL: none is planned. */
  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  lookAt!: Date | null;

  /** Last time at which its recipient's clients read it, to a minute; NULL: never. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  /** Number of requests in a row for this share's content without an answer, while its server is there. */
  @Column('integer', { default: 0 })
  contentFailures!: number;

  /** Time of the last failed request. */
  @Column('timestamptz', { nullable: true })
  contentFailedAt!: Date | null;

  /** Time before which the content of this share is not requested; NULL: it may be. */
  @Column('timestamptz', { nullable: true })
  contentShutUntil!: Date | null;

  @ManyToOne(() => PeerEntity, { nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'recipient_uid' })
  recipient?: UserAccountEntity;
}
