import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { UserAccountEntity } from './user-account.entity';

/** An account, as a source of identities knows it. Its stable id there identifies it, never its name. */
@Entity('external_identity')
@Index('external_identity_by_account', ['uid', 'kind', 'source'], { unique: true })
@Check('external_identity_kind_check', `kind IN ('oidc', 'ldap', 'scim')`)
@Check('external_identity_source_check', 'char_length(source) BETWEEN 1 AND 512')
@Check('external_identity_subject_check', 'char_length(subject) BETWEEN 1 AND 255')
@Check('external_identity_place_check', 'char_length(place) <= 2048')
@Check(
  'external_identity_managed_fields_check',
  `managed_fields <@ '{displayName,email,quota,password}'::text[]`,
)
export class ExternalIdentityEntity {
  /** `oidc`, `ldap` or `scim`. */
  @ExactTextKey()
  kind!: string;

  /** Name of the source: the issuer, or a name from the operator. */
  @ExactTextKey()
  source!: string;

  /** Id of the account there, which stays when the name changes. */
  @ExactTextKey()
  subject!: string;

  @ExactText()
  uid!: string;

  /** Fields of the account that only the source changes: `displayName`, `email`, `quota`, `password`. */
  @Column('text', { array: true })
  managedFields!: string[];

  /** Time at which the source disabled the account; NULL: it did not, or an administrator decided later. */
  @Column('timestamptz', { nullable: true })
  disabledAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time at which the source last reported a change of the account. */
  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  /** Place of the person in a read directory, in a form that can be compared; NULL: none. */
  @Column('text', { nullable: true })
  place!: string | null;

  /** Time since which the source no longer has the person; exactly the time of the account's end if the source requested that. NULL: it has them. */
  @Column('timestamptz', { nullable: true })
  goneAt!: Date | null;

  /** The source's own time of its newest report about the account: older reports change nothing. */
  @Column('timestamptz', { nullable: true })
  toldAt!: Date | null;

  /** The issuer's time of a sign-out: older tokens are refused. NULL: there was none. */
  @Column('timestamptz', { nullable: true })
  signedOutAt!: Date | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
