import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Database } from '../../database';
import { CapabilityEntryEntity, SettingEntity } from '../../entities/operation/setting.entity';

export type CapabilityEntry = Record<string, unknown>;

/** Settings that differ from their defaults, and other apps' capability entries. */
@Injectable()
export class SettingRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(SettingEntity)
    private readonly settings = database.reader(SettingEntity),
    @InjectRepository(CapabilityEntryEntity)
    private readonly entries = database.reader(CapabilityEntryEntity),
  ) {}

  /** `app/key` to text. */
  async all(): Promise<Map<string, string>> {
    const rows = await this.settings.find();
    return new Map(rows.map((row) => [`${row.app}/${row.key}`, row.value]));
  }

  async set(app: string, key: string, value: string): Promise<void> {
    await this.database.write(SettingEntity, (settings) =>
      settings.upsert({ app, key, value }, ['app', 'key']),
    );
  }

  async unset(app: string, key: string): Promise<void> {
    await this.database.write(SettingEntity, (settings) => settings.delete({ app, key }));
  }

  /** Entries by app, in the order of their names, so that the order of merging does not depend on the order of writing. */
  async capabilityEntries(): Promise<Map<string, CapabilityEntry>> {
    const rows = await this.entries.find({ order: { app: 'ASC' } });
    return new Map(rows.map((row) => [row.app, row.entry]));
  }

  async setCapabilityEntry(app: string, entry: CapabilityEntry): Promise<void> {
    await this.database.write(CapabilityEntryEntity, (entries) =>
      entries.upsert({ app, entry: entry as never, updatedAt: new Date() }, ['app']),
    );
  }

  /** @returns whether there was an entry */
  async removeCapabilityEntry(app: string): Promise<boolean> {
    const removed = await this.database.write(CapabilityEntryEntity, (entries) => entries.delete({ app }));
    return removed.affected === 1;
  }
}
