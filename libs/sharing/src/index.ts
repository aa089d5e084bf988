export { parseAttributes, type ShareAttribute } from './domain/attributes';
export { differencesOf, type Differences } from './domain/compatibility';
export { dayOf, daysAfter, parseDay, type Day } from './domain/expiry';
export { CREATE, DELETE, READ, SHARE, UPDATE, type NodeKind } from './domain/permissions';
export {
  mayCreateLinks,
  mayShare,
  policyFrom,
  type ExpiryRule,
  type ExpiryScope,
  type SharingPolicy,
} from './domain/policy';
export { parseSettingValue, settingDefinition, SETTINGS, type SettingDefinition } from './domain/settings';
export { SHARE_TYPES, type LinkShare, type PersonalRow, type Share, type SharedNode, type ShareView } from './domain/share';
export { SharingFailed, type SharingFailure } from './domain/sharing-failed';
export { STATE_NUMBERS, stateOfNumber, type ShareState } from './domain/state';
export type {
  Caller,
  Clock,
  Compatibility,
  Coverage,
  Directory,
  InsertRefusal,
  KnownUser,
  LinkSecrets,
  NewLinkShare,
  NewRecipientShare,
  NewShare,
  OwnSharesFilter,
  PolicySource,
  ReceivedSharesFilter,
  ShareChange,
  ShareStore,
  SharingPorts,
  Tree,
} from './ports/ports';
export { createShare, type CreateShareCommand } from './use-cases/create-share';
export { acceptShare, declineShare } from './use-cases/decide-share';
export { deleteShare } from './use-cases/delete-share';
export { listShares, readShare, type ListSharesCommand } from './use-cases/read-shares';
export { updateShare, type UpdateShareCommand } from './use-cases/update-share';
