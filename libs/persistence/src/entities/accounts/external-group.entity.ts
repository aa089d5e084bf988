import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { GroupMemberEntity, UserGroupEntity } from './user-group.entity';

/** A group as a source of identities knows it. */
@Entity('external_group')
@Index('external_group_by_group', ['gid'])
@Check('external_group_kind_check', `kind IN ('oidc', 'ldap', 'scim')`)
@Check('external_group_source_check', 'char_length(source) BETWEEN 1 AND 512')
@Check('external_group_subject_check', 'char_length(subject) BETWEEN 1 AND 255')
export class ExternalGroupEntity {
  /** `oidc`, `ldap` or `scim`. */
  @ExactTextKey()
  kind!: string;

  /** Name of the source. */
  @ExactTextKey()
  source!: string;

  /** Id of the group there. */
  @ExactTextKey()
  subject!: string;

  @ExactText()
  gid!: string;

  /** Whether the group was there before and belongs to the instance too. */
  @Column('boolean', { default: false })
  merged!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time since which a directory that is read does not have the group any more; NULL: it has. */
  @Column('timestamptz', { nullable: true })
  goneAt!: Date | null;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity;
}

/** A membership that a source gives: it ends when no source gives it any more. One that was given here has no such row. */
@Entity('external_membership')
@Index('external_membership_by_account', ['uid', 'kind', 'source'])
@Check('external_membership_kind_check', `kind IN ('oidc', 'ldap', 'scim')`)
@Check('external_membership_source_check', 'char_length(source) BETWEEN 1 AND 512')
export class ExternalMembershipEntity {
  @ExactTextKey()
  gid!: string;

  @ExactTextKey()
  uid!: string;

  /** `oidc`, `ldap` or `scim`. */
  @ExactTextKey()
  kind!: string;

  /** Name of the source. */
  @ExactTextKey()
  source!: string;

  @ManyToOne(() => GroupMemberEntity, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'gid', referencedColumnName: 'gid' },
    { name: 'uid', referencedColumnName: 'uid' },
  ])
  membership?: GroupMemberEntity;
}
