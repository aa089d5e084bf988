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

  /** Whether the group existed before the source named it, and so also belongs to the instance. */
  @Column('boolean', { default: false })
  merged!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time since which the read directory no longer has the group; NULL: it has it. */
  @Column('timestamptz', { nullable: true })
  goneAt!: Date | null;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity;
}

/** A membership from a source. It ends when no source names it any more. A membership that was made here has no row here. */
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
