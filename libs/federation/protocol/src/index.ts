export type { ContentKey } from './access/content-offer';
export { contentPlace, type ContentPlace } from './access/content-place';
export {
  describeEntry,
  PROPFIND_BODY,
  readEtag,
  readTime,
  type DavProperties,
} from './access/dav-properties';
export { CAN_EXCHANGE, MUST_EXCHANGE, tokenDemand, type TokenDemand } from './access/token-demand';
export { CAN_ENFORCE_MFA, enforcesMfa, MUST_USE_MFA } from './access/mfa-demand';
export { exchangeForm, readExchange } from './access/token-exchange';
export {
  isClientOf,
  parseTokenRequest,
  tokenGranted,
  tokenRefused,
  type TokenRequest,
} from './access/token-request';
export {
  CloudIdInvalid,
  localCloudId,
  namesOf,
  parseCloudId,
  withUser,
  type FederatedCloudId,
} from './addresses/federated-cloud-id';
export { hostIdentity, hostOfAddress, readHostIdentity, type HostIdentity } from './addresses/host-identity';
export { peerKeyOf, type HostAndPath, type Scheme } from './addresses/host-and-path';
export { ownAddress, type NamedHosts } from './addresses/partner-address';
export { baseUrlOf, spellCloudId } from './addresses/spelling';
export { classifyAnswer, classifyFailure, type Outcome } from './messages/classify';
export { dialectLadder, dialectsFor, provesDialect } from './messages/dialect-ladder';
export { readsAdditions } from './dialects/ocm-requests';
export {
  EVENTS,
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
  TAKES_SHARE_REQUESTS,
  LEGACY_ACTIONS,
  type LegacyAction,
} from './messages/partner-events';
export {
  ERROR_CLASSES,
  FAILURE_CLASSES,
  FAILURES,
  type ErrorClass,
  type FailureClass,
  type TransportFailure,
} from './messages/failure';
export type {
  OutgoingNotice,
  OutgoingShare,
  OutgoingShareRequest,
  PartnerMessage,
  Party,
  WireRequest,
} from './messages/partner-message';
export { parseRetryAfter } from './messages/read-answer';
export { redact } from './messages/redact';
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
} from './discovery/read-documents';
export {
  ocmDiscovery,
  ocsDiscovery,
  olderOcmDiscovery,
  OUR_PATHS,
  readsOlderDiscovery,
} from './discovery/served-documents';
export {
  acceptanceBody,
  invitationTaken,
  parseAcceptedInvitation,
  readAcceptanceAnswer,
  type AcceptanceAnswer,
  type AcceptanceRefusal,
  type AcceptedInvitation,
  type PresentedPerson,
} from './invitations/accepted-invitation';
export {
  hostAt,
  INVITATION_VALID_MS,
  invitationLink,
  invitationText,
  readInvitation,
  readInvitationText,
  type ReceivedInvitation,
} from './invitations/invitation-text';
export {
  MAX_LISTING_LENGTH,
  readDirectoryAddress,
  readListing,
  type DirectoryListing,
  type ListedServer,
} from './invitations/directory-listing';
export { LINK_DIALECT, LINK_PLACES, linkContent, type LinkPlace } from './links/link-place';
export { readForeignLink, readLinkAddress, type ForeignLink } from './links/link-address';
export {
  LINK_CALL,
  linkForm,
  linkKeysText,
  readLinkAnswer,
  readLinkKeys,
  type LinkAnswer,
  type LinkKeys,
  type NamedLinkKeys,
  namesNoSuchLink,
} from './links/link-request';
export { keepsCopies, WITHOUT_COPIES, type PeerProduct } from './peers/peer-product';
export { NO_PROFILE_VALID_MS, PROFILE_VALID_MS, type PeerProfile } from './peers/peer-profile';
export {
  recipientIsOurs,
  reshareEnds,
  type ReshareEnd,
  type ReshareProduct,
  type ReshareSide,
} from './peers/reshare-ends';
export { hasFiles, webappAccess, webappOf, type Webapp } from './webapps/webapp-offer';
export { webappAddress } from './webapps/webapp-address';
export { SecretText } from './secret-text';
export { cavageText } from './signatures/cavage';
export type { BodyDigest } from './signatures/digest-fields';
export { hostNamedBy, isKeyId, type Signer } from './signatures/key-identity';
export { preferredScheme } from './signatures/preferred-scheme';
export { readSignature } from './signatures/read-signature';
export type { SignedRequest } from './signatures/received-message';
export { requestTarget, type RequestTarget } from './signatures/request-target';
export { OCM_TAG, signatureBase } from './signatures/rfc9421';
export { SignatureRefused, type SignatureRefusal } from './signatures/signature-refused';
export {
  SIGNATURE_CHOICES,
  type SignatureAlgorithm,
  type SigningAlgorithm,
  type SignatureChoice,
  type SignatureScheme,
  type SignatureToCheck,
} from './signatures/signature-to-check';
export { SIGNATURE_WINDOW_MS } from './signatures/signed-at';
export {
  legacyRefusal,
  legacyReshareGranted,
  mistakesEnvelopeForSuccess,
  OCM_TAKEN,
  ocmOfferTaken,
  ocmRefusal,
  ocmReshareGranted,
  type OcmAnswer,
  type ReshareGrant,
} from './wire/answers';
export {
  COMMON_SECRET_LENGTH,
  HANDSHAKE_TOKEN_LENGTH,
  readAskAnswer,
  readHandshakeCall,
  readSecretAnswer,
  TRUST_PATHS,
  type AskAnswer,
  type HandshakeCall,
  type SecretAnswer,
} from './trust/trusted-handshake';
export {
  ADDRESS_BOOK_PATH,
  ADDRESS_BOOK_USER,
  MAX_CARD_LENGTH,
  readAddressCard,
  writeAddressCard,
  type AddressCard,
} from './trust/address-card';
export { readSyncToken, syncTokenOf } from './trust/sync-token';
export {
  ACCEPTED_INVITATION,
  REQUESTED_SHARE,
  HANDSHAKE_CALL,
  LEGACY_NOTICE,
  LEGACY_OFFER,
  OCM_NOTICE,
  OCM_OFFER,
  TOKEN_REQUEST,
} from './wire/message-schemas';
export { parseBoundedJson } from './wire/bounded-json';
export { FederationRefused, type FederationRefusal } from './wire/federation-refusal';
export { assertBindsUnsigned, parseLegacyNotice, parseOcmNotice, type PartnerNotice } from './wire/notice';
export { leftBy, wordsOf } from './wire/permission-words';
export { OFFERED_SHARE_TYPES, parseLegacyOffer, parseOcmOffer, type ShareOffer } from './wire/share-offer';
export { parseShareRequest, type ShareRequest } from './wire/share-request';
export type { DialectRules, Dialects } from './dialects/dialect';
export type { Dialect } from './dialects/dialect-name';
export { buildRequest, DIALECT_NAMES, DIALECTS } from './dialects/dialects';
export { readMailAddress, readMailDomain, type MailAddress } from './people/mail-address';
export {
  addressIn,
  describePerson,
  readPersonsAccounts,
  resourceOf,
  WEB_FINGER_PATH,
} from './people/web-finger';
