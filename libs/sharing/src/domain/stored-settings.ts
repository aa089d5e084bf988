import type { Compatibility } from './compatibility';
import { parseGroupList } from './list-values';
import { fallbackOf, settingDefinition } from './settings';

export interface ExpiryRule {
  readonly defaultOn: boolean;
  /** May be true only if the default is on. */
  readonly enforced: boolean;
  readonly days: number;
}

/** Reads settings with their types. A setting that is not stored has its default. */
export class StoredSettings {
  constructor(
    private readonly stored: ReadonlyMap<string, string>,
    private readonly compatibility: Compatibility,
  ) {}

  text(name: string): string {
    const stored = this.stored.get(name);
    if (stored !== undefined) return stored;
    const definition = settingDefinition(...(name.split('/', 2) as [string, string]));
    return definition ? fallbackOf(definition, this.compatibility) : '';
  }

  /** Reads a setting of the share API by its key, without the common prefix. */
  core(key: string): string {
    return this.text(`core/shareapi_${key}`);
  }

  yes(key: string): boolean {
    return this.core(key) === 'yes';
  }

  on(name: string): boolean {
    return this.text(name) === 'yes';
  }

  list(name: string): string[] {
    return parseGroupList(this.text(name)) ?? [];
  }

  expiry(suffix: string): ExpiryRule {
    const defaultOn = this.yes(`default_expire_date${suffix}`);
    const enforced = defaultOn && this.yes(`enforce_expire_date${suffix}`);
    return { defaultOn, enforced, days: Number(this.core(`expire_after_n_days${suffix}`)) };
  }
}
