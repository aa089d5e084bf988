export { CachedPolicy } from './cached-policy';
export { CapabilityRegistry, EntryRefused, RESERVED_CAPABILITIES } from './capability-registry';
export { assertInService, InMaintenance } from './maintenance';
export { RuntimeSettings, SettingRefused } from './runtime-settings';
export { SettingsModule } from './settings.module';
export { settingsOn } from './settings-on';
