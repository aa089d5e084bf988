import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A group of users. Ids are case-sensitive; members of `admin` are administrators. */
@Entity('user_group')
export class UserGroupEntity {
  @PrimaryColumn('text') gid!: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt!: Date;
}

@Entity('group_member')
export class GroupMemberEntity {
  @PrimaryColumn('text') gid!: string;
  @PrimaryColumn('text') uid!: string;
}

@Entity('group_subadmin')
export class GroupSubadminEntity {
  @PrimaryColumn('text') gid!: string;
  @PrimaryColumn('text') uid!: string;
}
