export { ChangeFeed, type ChangeTopic } from './change-feed';
export { Database, violates, type DatabaseOptions, type Queryable } from './database';
export { FreshCache } from './fresh-cache';
export { migrate, missingMigrations } from './migrate';
export { PersistenceModule } from './persistence.module';
export { statement, type Statement } from './statement';
export { AccountRepository, type AccountChange, type AccountRow, type NewAccount } from './repositories/account.repository';
export { GroupRepository } from './repositories/group.repository';
export { ThrottleRepository } from './repositories/throttle.repository';
export { BlobRepository, type StoredFile } from './repositories/blob.repository';
export { MountPlacementRepository, type Placement, type UnplacedShare } from './repositories/mount-placement.repository';
export { MountRepository, type MountRow } from './repositories/mount.repository';
export { NodePropertyRepository, type DeadProperty, type StorageUsage } from './repositories/node-property.repository';
export type { NodeRow } from './repositories/node-row';
export { exceedsPathLimit, NodeWriteRepository, type MoveTarget, type NewContent, type NewNode, type NodeCopy } from './repositories/node-write.repository';
export { NodeRepository, type Place } from './repositories/node.repository';
export { CachedPolicy } from './cached-policy';
export { SettingRepository, type CapabilityEntry } from './repositories/setting.repository';
export { ShareRepository } from './repositories/share.repository';
export { RuntimeSettings, SettingRefused, type SettingValue } from './runtime-settings';
export { CapabilityRegistry, EntryRefused, RESERVED_CAPABILITIES } from './capability-registry';
export {
  ShareAdministrationRepository,
  type AdministeredShare,
  type AdministeredSharesFilter,
} from './repositories/share-administration.repository';
export { settingsOn } from './settings-on';
