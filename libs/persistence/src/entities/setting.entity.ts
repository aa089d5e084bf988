import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A setting that differs from its default. */
@Entity('setting')
export class SettingEntity {
  @PrimaryColumn('text') app!: string;
  @PrimaryColumn('text') key!: string;
  @Column('text') value!: string;
}

/** What another app adds to the capabilities. */
@Entity('capability_entry')
export class CapabilityEntryEntity {
  @PrimaryColumn('text') app!: string;
  @Column('jsonb') entry!: Record<string, unknown>;
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' }) updatedAt!: Date;
}
