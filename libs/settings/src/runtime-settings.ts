import { Injectable } from '@nestjs/common';
import { SettingRepository } from '#persistence';
import {
  fallbackOf,
  KIND_MEANINGS,
  parseSettingValue,
  settingDefinition,
  SETTINGS,
  type SettingDefinition,
} from '#sharing';
import { CachedPolicy } from './cached-policy';

/** An unknown setting, or an invalid value. `message` is meant for the administrator. */
export class SettingRefused extends Error {
  constructor(
    readonly reason: 'unknown' | 'value',
    message: string,
  ) {
    super(message);
  }
}

export interface SettingValue {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  readonly isDefault: boolean;
  /** Value that applies if none is set. */
  readonly fallback: string;
}

/** Reads and changes settings; a change has effect on every replica within a second. */
@Injectable()
export class RuntimeSettings {
  constructor(
    private readonly settings: SettingRepository,
    private readonly policy: CachedPolicy,
  ) {}

  /** Every setting with its present value, in the order of the table. */
  async list(): Promise<SettingValue[]> {
    const stored = await this.settings.all();
    return SETTINGS.map((definition) => {
      const { app, key } = definition;
      const value = stored.get(`${app}/${key}`);
      const fallback = fallbackOf(definition, this.policy.compatibility);
      return { app, key, value: value ?? fallback, isDefault: value === undefined, fallback };
    });
  }

  /** @throws SettingRefused unknown */
  async get(app: string, key: string): Promise<string> {
    const definition = known(app, key);
    const stored = (await this.settings.all()).get(`${app}/${key}`);
    return stored ?? fallbackOf(definition, this.policy.compatibility);
  }

  /** @throws SettingRefused */
  async set(app: string, key: string, raw: string): Promise<void> {
    const definition = known(app, key);
    const value = parseSettingValue(definition.kind, raw);
    if (value === undefined)
      throw new SettingRefused(
        'value',
        `${app}/${key} cannot be '${raw.slice(0, 80)}' (allowed: ${KIND_MEANINGS[definition.kind]})`,
      );
    await this.settings.set(app, key, value);
    this.policy.changed('setting');
  }

  /** Resets the setting to its default. @throws SettingRefused unknown */
  async unset(app: string, key: string): Promise<void> {
    known(app, key);
    await this.settings.unset(app, key);
    this.policy.changed('setting');
  }
}

function known(app: string, key: string): SettingDefinition {
  const definition = settingDefinition(app, key);
  if (!definition) throw new SettingRefused('unknown', `There is no setting ${app}/${key}`.slice(0, 200));
  return definition;
}
