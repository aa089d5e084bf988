import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { UserAccountEntity } from './user-account.entity';

/** An account as a source of identities knows it: its stable id there decides, and never its name. */
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

  /** Name of the source: the issuer, or the name that the operator gave it. */
  @ExactTextKey()
  source!: string;

  /** Id of the account there, which a new name does not change. */
  @ExactTextKey()
  subject!: string;

  @ExactText()
  uid!: string;

  /** Fields of the account that only the source changes: `displayName`, `email`, `quota`, `password`. */
  @Column('text', { array: true })
  managedFields!: string[];

  /** Time at which the source disabled the account; NULL: it did not, or an administrator has decided since. */
  @Column('timestamptz', { nullable: true })
  disabledAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time at which the source last told something new of it. */
  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  /** Where the person stands in a directory that is read, in a form that can be compared; NULL: nowhere. */
  @Column('text', { nullable: true })
  place!: string | null;

  /** Time since which a directory that is read does not have the person any more, and the account is to end; NULL: it has. */
  @Column('timestamptz', { nullable: true })
  goneAt!: Date | null;

  /** Time of the source at which it made its newest news about the account: older ones change nothing. */
  @Column('timestamptz', { nullable: true })
  toldAt!: Date | null;

  /** Time of the issuer at which somebody signed out there: tokens from before are refused. NULL: they never did. */
  @Column('timestamptz', { nullable: true })
  signedOutAt!: Date | null;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
