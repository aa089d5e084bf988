import { Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** A run-time setting that differs from its default. */
@Entity('setting')
export class SettingEntity {
  /** App that the setting belongs to. */
  @ExactTextKey()
  app!: string;

  /** Name of the setting within its app. */
  @ExactTextKey()
  key!: string;

  @Column('text')
  value!: string;
}

/** An entry that another app adds to the capabilities. */
@Entity('capability_entry')
export class CapabilityEntryEntity {
  /** App that the entry belongs to. */
  @ExactTextKey()
  app!: string;

  /** Content of the entry. */
  @Column('jsonb')
  entry!: Record<string, unknown>;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
