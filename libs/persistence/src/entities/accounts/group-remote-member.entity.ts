import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { ExactTextKey } from '../columns';
import { PeerEntity } from '../partners/peer.entity';
import { UserGroupEntity } from './user-group.entity';

/** The membership of an account of a partner in a group of this server. */
@Entity('group_remote_member')
@Index('group_remote_member_by_peer', ['peerId'])
@Check('group_remote_member_canonical_check', 'octet_length(canonical) <= 512')
@Check('group_remote_member_cloud_id_check', 'char_length(cloud_id) <= 512')
export class GroupRemoteMemberEntity {
  @ExactTextKey()
  gid!: string;

  /** Canonical form of the cloud id, for comparison. */
  @ExactTextKey()
  canonical!: string;

  /** Federated cloud id as it was given. */
  @Column('text')
  cloudId!: string;

  /** Partner of the account. */
  @Column('bigint')
  peerId!: number;

  @Column('timestamptz', { default: () => 'now()' })
  addedAt!: Date;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity;

  @ManyToOne(() => PeerEntity, { nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}
