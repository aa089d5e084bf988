import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';
import { ReceivedShareEntity } from '../shares/received-share.entity';
import { PeerEntity } from './peer.entity';

/** A public link of another server that one of our users saves. */
@Entity('foreign_link')
@Index('foreign_link_age', ['createdAt'], { where: `state <> 'saved'` })
@Index('foreign_link_by_share', ['receivedShareId'], { where: 'received_share_id IS NOT NULL' })
@Unique(['uid', 'peerId', 'tokenHmac'])
@Check('foreign_link_check', `(state = 'waiting') = (sealed_keys IS NOT NULL)`)
@Check('foreign_link_check1', `(state = 'saved') = (received_share_id IS NOT NULL)`)
@Check('foreign_link_state_check', `state IN ('waiting', 'asked', 'saved', 'refused')`)
export class ForeignLinkEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  /** Server of the link. */
  @Column('bigint')
  peerId!: number;

  /** Keyed hash of the link's token. */
  @Column('bytea')
  tokenHmac!: Buffer;

  /** Token and password of the link, encrypted, until its server was asked. */
  @Column('bytea', { nullable: true })
  sealedKeys!: Buffer | null;

  /** `waiting`; `asked`: its server agreed, and its offer is awaited; `saved` or `refused`. */
  @ExactText({ default: 'waiting' })
  state!: string;

  /** Reason of a refusal, for the user. */
  @ExactText({ default: '' })
  reason!: string;

  /** Text of the link's server about a refusal. */
  @Column('text', { default: '' })
  words!: string;

  /** Id of the awaited share at the link's server; NULL: the server did not name it. */
  @ExactText({ nullable: true })
  providerId!: string | null;

  /** The resulting share. */
  @Column('bigint', { nullable: true })
  receivedShareId!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => PeerEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;

  @ManyToOne(() => ReceivedShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'received_share_id' })
  receivedShare?: ReceivedShareEntity | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
