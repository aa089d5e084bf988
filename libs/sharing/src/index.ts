export { parseAttributes } from './domain/attributes';
export {
  differencesOf,
  FEDERATED_SECRET_LENGTH,
  type Compatibility,
  type Differences,
} from './domain/compatibility';
export { dayOf, daysAfter, type Day } from './domain/expiry';
export { suspensionOf, type AccessSuspension } from './domain/federated-access';
export { linkRefusalNamed, LinkRefused } from './domain/link-refusal';
export { grantedThroughLink } from './domain/link-rules';
export {
  conditionsOf,
  decideAccess,
  DownloadLeave,
  NodeAccess,
  INQUIRERS_LEAVE,
  OPERATORS_LEAVE,
  SENDERS_LEAVE,
  PLAIN_SESSION,
  unmetRequirements,
  type Grants,
  type NodeOperation,
  type ShareChain,
} from './domain/node-access';
export { ALL, clampToKind, SHARE, type NodeKind } from './domain/permissions';
export {
  mayAutoAccept,
  dealsWith,
  PARTNER_TRUSTS,
  partnerAccess,
  partnerNamed,
  trustIn,
  type PartnerTrust,
  type RegardedPartner,
} from './domain/partner-policy';
export { SIGNATURE_DEMANDS, type SignatureDemand } from './domain/signature-demand';
export { demandsSignature } from './domain/signature-policy';
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
export { refusalOfNames, type RefusedNames } from './domain/refused-names';
export { DEFAULT_PASSWORD_RULES, passwordFault, type PasswordRules } from './domain/password-rules';
export {
  SHARE_TYPES,
  type FederatedShare,
  type PersonalRow,
  type Share,
  type SharedNode,
  type ShareView,
} from './domain/share';
export { cursorOf, LONG_LIST_PART, parsePage, type PageKey, type PageRequest } from './domain/share-page';
export { SharingFailed, type OfferFailure, type SharingFailure } from './domain/sharing-failed';
export { STATE_NUMBERS, stateOfNumber, type ShareState } from './domain/state';
export type {
  Caller,
  Coverage,
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
  ShareStore,
  SharingPorts,
  Tree,
} from './ports/ports';
export { createShare } from './use-cases/create-share';
export { saveLink } from './use-cases/save-link';
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
  FoundUser,
  ShareeDirectory,
  ShareePage,
  ShareeQuery,
} from './ports/sharee-directory';
export {
  searchSharees,
  ShareeSearchRefused,
  type SearchShareesCommand,
  type SearchShareesPorts,
  type Sharees,
  type ShareeSearchFailure,
  type ShareeRemote,
  type ShareeUser,
} from './use-cases/search-sharees';
export {
  mountPermissions,
  receivedStateAfter,
  type ReceivedShare,
  type ReceivedShareState,
} from './domain/received-share';
export {
  afterProbe,
  KEPT_LOST_DAYS,
  ONE_REFUSAL_LEFT,
  type ProbeResult,
  type WatchDecision,
} from './domain/share-watch';
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
