import { ChangeFeed, type Database, SettingRepository } from '#persistence';
import type { Config } from '#platform';
import { CachedPolicy } from './cached-policy';
import { CapabilityRegistry } from './capability-registry';
import { RuntimeSettings } from './runtime-settings';

/** Settings and capability entries without a running app: for the command line. */
export function settingsOn(
  database: Database,
  config: Pick<Config, 'COMPATIBILITY'>,
): {
  settings: RuntimeSettings;
  capabilities: CapabilityRegistry;
  policy: CachedPolicy;
} {
  const rows = new SettingRepository(database);
  const policy = new CachedPolicy(rows, new ChangeFeed(database.options.url), config);
  return {
    settings: new RuntimeSettings(rows, policy),
    capabilities: new CapabilityRegistry(rows, policy),
    policy,
  };
}
