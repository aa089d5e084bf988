import { Check, Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { ExactText } from '../columns';

/** A directory that provisions accounts and groups by SCIM. */
@Entity('scim_client')
@Unique('scim_client_name_key', ['name'])
@Unique('scim_client_secret_key', ['secretHash'])
@Check('scim_client_name_check', 'char_length(name) BETWEEN 1 AND 64')
@Check('scim_client_secret_hash_check', 'octet_length(secret_hash) = 32')
export class ScimClientEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Name that operators gave. */
  @ExactText()
  name!: string;

  /** Keyed hash of its token, which is random; NULL: it was revoked. */
  @Column('bytea', { nullable: true })
  secretHash!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time of the last request, to five minutes; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;
}
