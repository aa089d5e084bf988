import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import { CapabilityEntryEntity, SettingEntity } from '../../entities/operation/setting.entity';
import { text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';

export type CapabilityEntry = Record<string, unknown>;

const SET = statement({
  name: 'setting.set',
  params: { app: text, key: text, value: text, acting: text },
  sql: `INSERT INTO setting (app, key, value) SELECT :app, :key, :value WHERE ${ACTING}
   ON CONFLICT (app, key) DO UPDATE SET value = excluded.value`,
});
const UNSET = statement({
  name: 'setting.unset',
  params: { app: text, key: text, acting: text },
  sql: `DELETE FROM setting WHERE app = :app AND key = :key AND ${ACTING}`,
});

/** Settings that differ from their defaults, and other apps' capability entries. */
@Injectable()
export class SettingRepository {
  constructor(private readonly database: Database) {}

  private get settings() {
    return this.database.dataSource.getRepository(SettingEntity);
  }

  private get entries() {
    return this.database.dataSource.getRepository(CapabilityEntryEntity);
  }

  /** `app/key` to text. */
  async all(): Promise<Map<string, string>> {
    const rows = await this.settings.find();
    return new Map(rows.map((row) => [`${row.app}/${row.key}`, row.value]));
  }

  async set(app: string, key: string, value: string): Promise<void> {
    await this.database.rows(SET, { app, key, value, acting: actingText() });
  }

  async unset(app: string, key: string): Promise<void> {
    await this.database.rows(UNSET, { app, key, acting: actingText() });
  }

  /** Entries by app, in the order of their names: what is merged first does not depend on who came first. */
  async capabilityEntries(): Promise<Map<string, CapabilityEntry>> {
    const rows = await this.entries.find({ order: { app: 'ASC' } });
    return new Map(rows.map((row) => [row.app, row.entry]));
  }

  async setCapabilityEntry(app: string, entry: CapabilityEntry): Promise<void> {
    await this.entries.upsert({ app, entry: entry as never, updatedAt: new Date() }, ['app']);
  }

  /** @returns whether there was one */
  async removeCapabilityEntry(app: string): Promise<boolean> {
    return ((await this.entries.delete({ app })).affected ?? 0) > 0;
  }
}
