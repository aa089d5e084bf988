import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { ExactText } from '../columns';
import { ScimClientEntity } from './scim-client.entity';
import { UserAccountEntity } from './user-account.entity';
import { UserGroupEntity } from './user-group.entity';

/** An account or group that a SCIM client manages. No other source manages the same one. */
@Entity('scim_resource')
@Unique('scim_resource_id_key', ['id'])
@Index('scim_resource_by_name', ['clientId', 'kind', 'foldedName'], { unique: true })
@Index('scim_resource_of_account', ['uid'], { unique: true, where: 'uid IS NOT NULL' })
@Index('scim_resource_of_group', ['gid'], { unique: true, where: 'gid IS NOT NULL' })
@Index('scim_resource_by_external_id', ['clientId', 'kind', 'externalId'], {
  where: 'external_id IS NOT NULL',
})
@Index('scim_resource_in_order', ['clientId', 'kind', 'seq'], { where: 'ended_at IS NULL' })
@Check(
  'scim_resource_kind_check',
  `(kind = 'User' AND uid IS NOT NULL AND gid IS NULL) OR (kind = 'Group' AND gid IS NOT NULL AND uid IS NULL)`,
)
@Check('scim_resource_name_check', 'char_length(name) BETWEEN 1 AND 256')
@Check('scim_resource_external_id_check', 'char_length(external_id) <= 256')
@Check('scim_resource_person_name_check', 'octet_length((person_name)::text) <= 4096')
export class ScimResourceEntity {
  /** Sort order of lists. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  seq!: number;

  /** Id on the wire, and the subject at the source; never reused. */
  @Column('uuid')
  id!: string;

  @Column('integer')
  clientId!: number;

  /** `User` or `Group`. */
  @ExactText()
  kind!: 'User' | 'Group';

  /** `userName` or `displayName` of the client; the account or group keeps its first name. */
  @Column('text')
  name!: string;

  /** The name in lower case, for comparison. */
  @ExactText()
  foldedName!: string;

  /** Id at the client. */
  @ExactText({ nullable: true })
  externalId!: string | null;

  @ExactText({ nullable: true })
  uid!: string | null;

  @ExactText({ nullable: true })
  gid!: string | null;

  /** Number of changes by the client, which begin one after the other. */
  @Column('integer', { default: 0 })
  revision!: number;

  /** Parts of a person's name, as the client sent them. */
  @Column('jsonb', { nullable: true })
  personName!: Readonly<Record<string, string>> | null;

  /** Time of the deletion by the client, during the account's grace period; NULL: not deleted. */
  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;

  @ManyToOne(() => ScimClientEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'client_id' })
  client?: ScimClientEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity | null;

  @ManyToOne(() => UserGroupEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'gid' })
  group?: UserGroupEntity | null;
}
