import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ComputedColumn, ExactTextKey } from '../columns';

/** A group of accounts; members of `admin` are administrators. */
@Entity('user_group')
@Index('user_group_by_name', ['searchText', 'gid'])
@Index('user_group_search', { synchronize: false })
@Check('user_group_gid_check', 'char_length(gid) BETWEEN 1 AND 64')
export class UserGroupEntity {
  /** Group id; case-sensitive. */
  @ExactTextKey()
  gid!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Normalised group id, for the search of sharees. */
  @ComputedColumn('text')
  searchText!: string | null;
}

/** The membership of one account in one group. */
@Entity('group_member')
@Index('group_member_by_user', ['uid', 'gid'])
export class GroupMemberEntity {
  @ExactTextKey()
  gid!: string;

  @ExactTextKey()
  uid!: string;

  /** The member has rows for all shares with the group up to this id. */
  @Column('bigint', { default: 0 })
  settledUpTo!: number;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}

/** The right of one account to administer one group. */
@Entity('group_subadmin')
@Index('group_subadmin_by_user', ['uid', 'gid'])
export class GroupSubadminEntity {
  @ExactTextKey()
  gid!: string;

  @ExactTextKey()
  uid!: string;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
