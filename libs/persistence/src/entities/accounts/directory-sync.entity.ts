import { Check, Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** State of the reading of a directory. */
@Entity('directory_sync')
@Check('directory_sync_kind_check', `kind IN ('oidc', 'ldap', 'scim')`)
@Check('directory_sync_source_check', 'char_length(source) BETWEEN 1 AND 512')
@Check('directory_sync_mark_check', 'char_length(mark) <= 64')
@Check('directory_sync_held_back_check', 'char_length(held_back) <= 500')
@Check('directory_sync_failure_check', 'char_length(failure) <= 500')
export class DirectorySyncEntity {
  /** `ldap`; the others tell of themselves. */
  @ExactTextKey()
  kind!: string;

  /** Name of the source. */
  @ExactTextKey()
  source!: string;

  /** How far changes were read, in the directory's own form; NULL: it says nothing of when entries changed. */
  @Column('text', { nullable: true })
  mark!: string | null;

  /** Time of the last reading that was taken over; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  readAt!: Date | null;

  /** Time of the last whole one; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  readFullyAt!: Date | null;

  /** People at the last whole reading. */
  @Column('integer', { default: 0 })
  people!: number;

  /** Groups at the last whole reading. */
  @Column('integer', { default: 0 })
  groups!: number;

  /** People and groups of the last reading that got no account or group here. */
  @Column('integer', { default: 0 })
  refused!: number;

  /** Reason why the last answer was not taken over; NULL: it was. */
  @Column('text', { nullable: true })
  heldBack!: string | null;

  /** Reason why the last reading came to nothing; NULL: it did not. */
  @Column('text', { nullable: true })
  failure!: string | null;

  @Column('timestamptz', { nullable: true })
  failedAt!: Date | null;
}
