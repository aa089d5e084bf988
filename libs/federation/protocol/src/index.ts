export {
  CloudIdInvalid,
  localCloudId,
  parseCloudId,
  sameAccount,
  type CloudIdRefusal,
  type FederatedCloudId,
} from './addresses/federated-cloud-id';
export { peerKeyOf, type HostAndPath, type Scheme } from './addresses/host-and-path';
export { ownAddress, type NamedHosts } from './addresses/partner-address';
export { baseUrlOf, spellCloudId, type Spelling } from './addresses/spelling';
export { buildRequest } from './delivery/build-request';
export { classifyAnswer, classifyFailure, type Sent } from './delivery/classify';
export { dialectLadder } from './delivery/dialect-ladder';
export type { FailureClass, Outcome, RefusalReason, TransportFailure } from './delivery/outcome';
export type {
  MessageKind,
  OutgoingNotice,
  OutgoingShare,
  PartnerMessage,
  Party,
  WireRequest,
} from './delivery/partner-message';
export { parseRetryAfter, type GrantedReshare, type RawAnswer } from './delivery/read-answer';
export { redact } from './delivery/redact';
export {
  concludeDiscovery,
  LEGACY_PROBE,
  OCM_PROBES,
  type DiscoveryConclusion,
  type Probe,
} from './discovery/conclude';
export {
  MAX_DISCOVERY_LENGTH,
  readOcmDocument,
  readOcsDocument,
  type OcmDocument,
  type OcsDocument,
} from './discovery/read-documents';
export { ocmDiscovery, ocsDiscovery, OUR_PATHS, type DiscoveryOptions } from './discovery/served-documents';
export type { DataAccess, PeerProduct } from './peers/peer-product';
export {
  NO_PROFILE_VALID_MS,
  PROFILE_VALID_MS,
  type PeerProfile,
  type ProfileOptions,
} from './peers/peer-profile';
export { SecretText } from './secret-text';
export {
  legacyRefusal,
  legacyReshareGranted,
  mistakesEnvelopeForSuccess,
  OCM_TAKEN,
  ocmOfferTaken,
  ocmRefusal,
  ocmReshareGranted,
  type LegacyRefusal,
  type OcmAnswer,
  type ReshareGrant,
} from './wire/answers';
export { MAX_MESSAGE_LENGTH, parseBoundedJson } from './wire/bounded-json';
export { FederationRefused, type FederationRefusal } from './wire/federation-refusal';
export {
  LEGACY_ACTIONS,
  parseLegacyNotice,
  parseOcmNotice,
  type LegacyAction,
  type PartnerNotice,
} from './wire/notice';
export { permissionsOf, wordsOf, type PermissionWord } from './wire/permission-words';
export {
  parseLegacyOffer,
  parseOcmOffer,
  type Dialect,
  type OfferedKind,
  type ShareOffer,
} from './wire/share-offer';
