import { Global, Module } from '@nestjs/common';
import { PersistenceModule, SettingRepository } from '#persistence';
import { CachedPolicy } from './cached-policy';
import { CapabilityRegistry } from './capability-registry';
import { RuntimeSettings } from './runtime-settings';

/** Settings, other apps' capability entries, and the resulting policy; one of each per process. */
@Global()
@Module({
  imports: [PersistenceModule],
  providers: [SettingRepository, CachedPolicy, RuntimeSettings, CapabilityRegistry],
  exports: [CachedPolicy, RuntimeSettings, CapabilityRegistry],
})
export class SettingsModule {}
