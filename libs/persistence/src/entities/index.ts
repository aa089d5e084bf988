import { CapabilityEntryEntity, SettingEntity } from './setting.entity';
import { UserAccountEntity } from './user-account.entity';
import { GroupMemberEntity, GroupSubadminEntity, UserGroupEntity } from './user-group.entity';

export const ENTITIES = [
  UserAccountEntity,
  UserGroupEntity,
  GroupMemberEntity,
  GroupSubadminEntity,
  SettingEntity,
  CapabilityEntryEntity,
];
