import { SHARE_TYPES } from '#sharing';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { NodeEntity } from '../files/node.entity';
import { PeerEntity } from '../partners/peer.entity';
import { ExactText } from '../columns';

const { user: USER, group: GROUP, link: LINK, federated: FEDERATED } = SHARE_TYPES;

/** A permission to use a node, given to an account, a group, a link or somebody at a partner. */
@Entity('share')
@Index('share_by_expiry', ['expiresOn'], { where: 'expires_on IS NOT NULL' })
@Index('share_doubted', ['doubtedAt'], { where: 'doubted_at IS NOT NULL' })
@Index('share_by_link', ['linkId'], { where: 'link_id IS NOT NULL' })
@Index('share_by_group_share', ['groupShareId', 'id'], { where: 'group_share_id IS NOT NULL' })
@Index('share_by_initiator', ['initiatorUid', 'shareType', 'id'])
@Index('share_by_node', ['nodeId', 'id'])
@Index('share_by_owner', ['ownerUid', 'shareType', 'id'])
@Index('share_by_peer', ['peerId', 'id'], { where: 'peer_id IS NOT NULL' })
@Index('share_by_recipient', ['recipientCanonical', 'shareType', 'id'], {
  where: `share_type IN (${USER}, ${GROUP})`,
})
@Index('share_by_token', ['tokenHmac'], { unique: true, where: 'token_hmac IS NOT NULL' })
@Index('share_group_pending', ['recipientCanonical', 'id'], {
  where: `share_type = ${GROUP} AND initial_state = 1`,
})
@Index('share_once', ['nodeId', 'shareType', 'recipientCanonical'], {
  unique: true,
  where: `share_type IN (${USER}, ${GROUP}, ${FEDERATED})`,
})
@Index('share_passed_on', ['ownerUid', 'initiatorUid'], { where: 'initiator_uid <> owner_uid' })
@Index('share_undelivered', ['deliveryState', 'id'], { where: `delivery_state <> 'delivered'` })
@Check('share_decline_reason_check', 'char_length(decline_reason) <= 500')
@Check('share_acceptance_check', `acceptance IN ('unknown', 'accepted', 'declined', 'left')`)
@Check('share_acceptance_source_check', `acceptance_source IN ('notification', 'access', 'auto')`)
@Check(
  'share_delivery_state_check',
  `delivery_state IN ('pending', 'delivered', 'not-sent', 'refused', 'retrying', 'dead', 'revoking', 'revoked')`,
)
@Check(
  'share_federated_side',
  `(share_type = ${FEDERATED}) = (delivery_state IS NOT NULL AND acceptance IS NOT NULL)`,
)
@Check('share_granted_id_check', 'octet_length(granted_id) BETWEEN 1 AND 512')
@Check(
  'share_granted_side',
  `COALESCE((via_owner = 'granted'), false) = (granted_id IS NOT NULL AND granted_token_hmac IS NOT NULL AND granted_token_enc IS NOT NULL)`,
)
@Check('share_initial_state_check', 'initial_state IN (0, 1, 2)')
@Check('share_name_check', 'octet_length(name) <= 256')
@Check('share_permissions_check', 'permissions BETWEEN 0 AND 31')
@Check('share_requester_share_id_check', 'octet_length(requester_share_id) <= 512')
@Check('share_share_type_check', `share_type IN (${USER}, ${GROUP}, ${LINK}, ${FEDERATED})`)
@Check('share_via_owner_check', `via_owner IN ('asked', 'granted')`)
@Check(
  'share_via_owner_side',
  `((via_owner IS NOT NULL) = (received_share_id IS NOT NULL AND remote_owner IS NOT NULL)) AND (via_owner IS NULL OR share_type = ${FEDERATED})`,
)
export class ShareEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** 0 user, 1 group, 3 public link, 6 federated. */
  @Column('smallint')
  shareType!: number;

  /** Shared node. */
  @Column('bigint')
  nodeId!: number;

  /** Owner of the node; `uid_file_owner` on the wire. */
  @ExactText()
  ownerUid!: string;

  /** Account that created the share; `uid_owner` on the wire. */
  @ExactText()
  initiatorUid!: string;

  /** User id, group id or federated cloud id as it was written; NULL for links. */
  @ExactText({ nullable: true })
  recipient!: string | null;

  /** Canonical form of `recipient`, for comparison; NULL if the share follows one with a group. */
  @ExactText({ nullable: true })
  recipientCanonical!: string | null;

  /** Bits: 1 read, 2 update, 4 create, 8 delete, 16 share. */
  @Column('smallint')
  permissions!: number;

  /** Initial mount point for recipients. */
  @ExactText({ default: '' })
  fileTarget!: string;

  /** Initial state for recipients: 0 accepted, 1 pending, 2 declined. */
  @Column('smallint', { default: 0 })
  initialState!: number;

  /** Keyed hash of the link's token or of the shared secret, for look-ups. */
  @Column('bytea', { nullable: true })
  tokenHmac!: Buffer | null;

  /** The link's token or the shared secret, encrypted. */
  @Column('bytea', { nullable: true })
  tokenEnc!: Buffer | null;

  /** Argon2id hash of a link's password; NULL: none. */
  @Column('text', { nullable: true })
  passwordHash!: string | null;

  /** Last day of the share, in UTC; NULL: it does not expire. */
  @Column('date', { nullable: true })
  expiresOn!: string | null;

  /** Label of a link. */
  @Column('text', { nullable: true })
  name!: string | null;

  /** Note of its maker to the recipients; NULL: none. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Whether the recipient of a federated share is a group there. */
  @Column('boolean', { default: false })
  recipientIsGroup!: boolean;

  /** Share attributes as JSON text; NULL: none. */
  @Column('text', { nullable: true })
  attributes!: string | null;

  /** Share through which an old link was made; no longer used. */
  @Column('bigint', { nullable: true })
  parentId!: number | null;

  /** Whether a mail about the share was sent. */
  @Column('boolean', { default: false })
  mailSent!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Partner of the recipient. */
  @Column('bigint', { nullable: true })
  peerId!: number | null;

  /** Grows with each change that the partner gets a message about. */
  @Column('integer', { default: 0 })
  revision!: number;

  /** State of the newest delivery. */
  @ExactText({ nullable: true })
  deliveryState!: string | null;

  /** Attempts of the newest delivery. */
  @Column('integer', { default: 0 })
  deliveryAttempts!: number;

  /** Time of the next attempt; NULL: none is planned. */
  @Column('timestamptz', { nullable: true })
  deliveryNextAttempt!: Date | null;

  /** Reason of the last failure. */
  @Column('text', { nullable: true })
  deliveryError!: string | null;

  /** Time at which the partner accepted the offer. */
  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  /** Time at which the partner first read a file of it; NULL: it did not, or this was not checked yet. */
  @Column('timestamptz', { nullable: true })
  firstReadAt!: Date | null;

  /** Time at which the partner's recipient saw the offer; NULL: they did not, or their server does not say. */
  @Column('timestamptz', { nullable: true })
  seenAt!: Date | null;

  /** Text of the recipient who ended it. */
  @Column('text', { nullable: true })
  declineReason!: string | null;

  /** Last day for which a reminder was sent; NULL: none. */
  @Column('date', { nullable: true })
  remindedOf!: string | null;

  /** Decision of the partner's recipient, as far as it is known. */
  @ExactText({ nullable: true })
  acceptance!: string | null;

  /** Source of `acceptance`: a message, an access to the content, or auto-accept. */
  @ExactText({ nullable: true })
  acceptanceSource!: string | null;

  /** Partner that requested this share for its resharer. */
  @Column('bigint', { nullable: true })
  requesterPeerId!: number | null;

  /** Id of the share at that partner. */
  @Column('text', { nullable: true })
  requesterShareId!: string | null;

  /** Share with the resharer that was passed on by this one, even after its end; NULL: made here, or by an older version. */
  @Column('bigint', { nullable: true })
  requestedOf!: number | null;

  /** State of a reshare that was requested from the owner's server: `asked` or `granted`. */
  @ExactText({ nullable: true })
  viaOwner!: string | null;

  /** Federated cloud id of the owner of reshared content. */
  @Column('text', { nullable: true })
  remoteOwner!: string | null;

  /** Received share whose content is shared on. */
  @Column('bigint', { nullable: true })
  receivedShareId!: number | null;

  /** Id of the granted reshare at the owner's server. */
  @ExactText({ nullable: true })
  grantedId!: string | null;

  /** Keyed hash of the secret of the granted reshare. */
  @Column('bytea', { nullable: true })
  grantedTokenHmac!: Buffer | null;

  /** Secret of the granted reshare, encrypted. */
  @Column('bytea', { nullable: true })
  grantedTokenEnc!: Buffer | null;

  /** Whether the secret must be exchanged for an access token, and opens nothing itself. */
  @Column('boolean', { default: false })
  mustExchange!: boolean;

  /** Whether the attributes of a federated share demand a second factor that its offer did not demand: the partner has not promised it. */
  @Column('boolean', { default: false })
  demandedLater!: boolean;

  /** Time at which the initiator of a continuing reshare lost access to the node, and the owner was notified. */
  @Column('timestamptz', { nullable: true })
  accessLostAt!: Date | null;

  /** Public link from which this federated share was made, and with which it ends. */
  @Column('bigint', { nullable: true })
  linkId!: number | null;

  /** Share with a group that this federated share follows, and with which it ends. */
  @Column('bigint', { nullable: true })
  groupShareId!: number | null;

  /** Time at which the recipient declined an accepted share that they may have twice; NULL: they did not, or still use it. */
  @Column('timestamptz', { nullable: true })
  doubtedAt!: Date | null;

  /** Time at which the node was moved to the trash bin; until it is restored, the share has no effect. */
  @Column('timestamptz', { nullable: true })
  trashedAt!: Date | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_share_id' })
  groupShare?: ShareEntity | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'link_id' })
  link?: ShareEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'initiator_uid' })
  initiator?: UserAccountEntity;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'owner_uid' })
  owner?: UserAccountEntity;

  @ManyToOne(() => PeerEntity)
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'requester_peer_id' })
  requesterPeer?: PeerEntity | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'recipient_peer_id' })
  recipientPeer?: PeerEntity | null;
}
