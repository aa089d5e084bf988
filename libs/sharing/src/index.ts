export {
  attributesFromText,
  conditionsAmong,
  demands,
  parseAttributes,
  SECOND_FACTOR,
} from './domain/attributes';
export {
  differencesOf,
  FEDERATED_SECRET_LENGTH,
  type Compatibility,
  type Differences,
} from './domain/compatibility';
export type { ByteRange } from './domain/byte-range';
export {
  ancestorsOf,
  childOf,
  faultOfName,
  isAtOrBelow,
  MAX_PATH_BYTES,
  nameOf,
  parentOf,
  readPath,
  ROOT,
  type NodePath,
} from './domain/node-path';
export { numberedName } from './domain/numbered-name';
export { dayOf, daysAfter, type Day } from './domain/expiry';
export { grantedToPartner, type AccessSuspension } from './domain/federated-access';
export { linkRefusalNamed, LinkRefused, type LinkRefusal } from './domain/link-refusal';
export { grantedThroughLink } from './domain/link-rules';
export {
  conditionsOf,
  conditionsToKeep,
  decideAccess,
  DownloadPermit,
  NodeAccess,
  LINK_CHECK_PERMIT,
  OPERATOR_PERMIT,
  SCANNER_PERMIT,
  UPLOAD_PERMIT,
  PLAIN_SESSION,
  STRONG_SESSION,
  VISITOR_SESSION,
  unmetRequirements,
  type CallerSession,
  type Grants,
  type MissingProof,
  type NodeOperation,
  type ShareChain,
} from './domain/node-access';
export { ALL, clampToKind, READ, SHARE, UPDATE, type NodeKind } from './domain/permissions';
export {
  mayAutoAccept,
  dealsWith,
  PARTNER_TRUSTS,
  partnerAccess,
  partnerNamed,
  trustIn,
  type PartnerAccess,
  type PartnerTrust,
  type RegardedPartner,
} from './domain/partner-policy';
export { SIGNATURE_DEMANDS, type SignatureDemand } from './domain/signature-demand';
export { demandsSignature } from './domain/signature-policy';
export { FOLDER_MIMETYPE, UNKNOWN_MIMETYPE } from './domain/media-types';
export { phrase, translated } from './domain/notification-phrases';
export {
  afterUndelivered,
  acceptedText,
  endedByRecipientText,
  expiringForRecipientText,
  expiringText,
  lostAccessText,
  UNDELIVERED_STATES,
  type NotificationText,
  type UndeliveredState,
  undeliveredRequestText,
} from './domain/owner-notifications';
export {
  asksWhoOffers,
  mayCreateLinks,
  holdsShareFolder,
  mayShare,
  policyFrom,
  type ExpiryRule,
  type SharingPolicy,
} from './domain/policy';
export {
  fallbackOf,
  parseSettingValue,
  settingDefinition,
  SETTINGS,
  type SettingDefinition,
} from './domain/settings';
export { KIND_MEANINGS, SETTING_MEANINGS } from './domain/setting-meanings';
export {
  outdatedVersions,
  parseRetention,
  protectedSince,
  type AgingVersion,
} from './domain/version-retention';
export { goesPastTrash, type TrashRules } from './domain/trash-rules';
export type { PartnerCacheRules } from './domain/partner-cache-rules';
export type { PartnerWriteRules } from './domain/partner-write-rules';
export { keptInsteadText, type WriteRefusal } from './domain/refused-write';
export type { ScanRules } from './domain/scan-rules';
export { refusalOfNames, type RefusedNames } from './domain/refused-names';
export {
  DEFAULT_PASSWORD_RULES,
  MAX_PASSWORD_BYTES,
  passwordFault,
  type PasswordRules,
} from './domain/password-rules';
export {
  mayManage,
  REMOTE_GROUP_TYPE,
  SHARE_TYPES,
  typeForClients,
  type FederatedShare,
  type PersonalRow,
  type Share,
  isOwn,
  type SharedNode,
  type ShareView,
} from './domain/share';
export {
  activityOf,
  SHARE_STEPS,
  timelineOf,
  type ActivityEntry,
  type RecordedActivity,
  type RecordedEvent,
  type RecordedMessage,
  type TimelineEntry,
} from './domain/share-timeline';
export { cursorOf, LIST_PART, parsePage, type PageKey, type PageRequest } from './domain/share-page';
export { SharingFailed, type OfferFailure, type SharingFailure } from './domain/sharing-failed';
export { STATE_NUMBERS, stateOfNumber, type ShareState } from './domain/state';
export type {
  Caller,
  Coverage,
  CoveredShare,
  Directory,
  InsertRefusal,
  KnownUser,
  LinkSecrets,
  NewFederatedShare,
  NewLinkShare,
  NewRecipientShare,
  NewShare,
  OfferedShare,
  OwnSharesFilter,
  Partners,
  PartnerStanding,
  PartnerVerdict,
  PolicySource,
  ReceivedSharesFilter,
  ReceivedSource,
  RemoteRecipient,
  ShareChange,
  SharedOrFound,
  ShareOfPath,
  ShareStore,
  SharingPorts,
  Tree,
} from './ports/ports';
export { createShare } from './use-cases/create-share';
export { offerLink } from './use-cases/save-link';
export type { CreateShareCommand } from './kinds/create-share-command';
export type { UpdateShareCommand } from './kinds/update-share-command';
export type { RecordNames, ShareKind, ShareKinds } from './kinds/share-kind';
export { kindOf, SHARE_KINDS, shareKinds } from './kinds/share-kinds';
export { acceptShare, declineShare } from './use-cases/decide-share';
export { deleteShare } from './use-cases/delete-share';
export { listShares, readShare, type ListSharesCommand, type SharePage } from './use-cases/read-shares';
export { updateShare } from './use-cases/update-share';
export type { SearchScope } from './domain/sharees';
export type {
  FoundContact,
  FoundSharees,
  FoundUser,
  PeopleDirectory,
  ShareeDirectory,
  ShareePage,
  ShareeQuery,
  ShareeSearch,
} from './ports/sharee-directory';
export {
  searchSharees,
  ShareeSearchRefused,
  type SearchShareesCommand,
  type SearchShareesPorts,
  type Sharees,
  type ShareeSearchFailure,
  type ShareeRemote,
  type ShareeRemoteGroup,
  type ShareeUser,
} from './use-cases/search-sharees';
export { findPerson, type FindPersonPorts, type Person } from './use-cases/find-person';
export {
  LISTED_STATES,
  MOUNTED_STATES,
  mountPermissions,
  isMounted,
  receivedStateAfter,
  type ReceivedShare,
  type ReceivedShareState,
} from './domain/received-share';
export type { ReceivedShareDecision, ReceivedSharePorts, ReceivedShareStore } from './ports/received-shares';
export {
  acceptReceivedShare,
  declineReceivedShare,
  leaveReceivedShare,
  listAcceptedShares,
  listAllReceivedShares,
  listPendingShares,
  ReceivedShareRefused,
  readReceivedShare,
  type ReceivedShareFailure,
  type ReceivedShareView,
} from './use-cases/received-shares';
