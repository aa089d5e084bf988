import { Check, Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** State of reading a directory. */
@Entity('directory_sync')
@Check('directory_sync_kind_check', `kind IN ('oidc', 'ldap', 'scim')`)
@Check('directory_sync_source_check', 'char_length(source) BETWEEN 1 AND 512')
@Check('directory_sync_mark_check', 'char_length(mark) <= 64')
@Check('directory_sync_held_back_check', 'char_length(held_back) <= 500')
@Check('directory_sync_failure_check', 'char_length(failure) <= 500')
export class DirectorySyncEntity {
  /** Always `ldap`; the other sources send their changes themselves. */
  @ExactTextKey()
  kind!: string;

  /** Name of the source. */
  @ExactTextKey()
  source!: string;

  /** Position in the directory's changes, in its own form; NULL: it does not say when entries changed. */
  @Column('text', { nullable: true })
  mark!: string | null;

  /** Time of the last reading that was applied; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  readAt!: Date | null;

  /** Time of the last complete reading; NULL: none yet. */
  @Column('timestamptz', { nullable: true })
  readFullyAt!: Date | null;

  /** Number of people in the last complete reading. */
  @Column('integer', { default: 0 })
  people!: number;

  /** Number of groups in the last complete reading. */
  @Column('integer', { default: 0 })
  groups!: number;

  /** Number of people and groups in the last reading that got no account or group here. */
  @Column('integer', { default: 0 })
  refused!: number;

  /** Reason why the last answer was not applied; NULL: it was. */
  @Column('text', { nullable: true })
  heldBack!: string | null;

  /** Reason why the last reading failed; NULL: it did not. */
  @Column('text', { nullable: true })
  failure!: string | null;

  @Column('timestamptz', { nullable: true })
  failedAt!: Date | null;
}
