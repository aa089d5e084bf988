export { PAUSE_AFTER_DOUBT_MS } from './delivery/backoff';
export { afterOutcome, breakerState, isTroubled } from './delivery/breaker';
export { coalesce } from './messages/coalescing';
export { admit, type Gate } from './delivery/gate';
export { MESSAGE_STATES, type MessageState, type OutgoingMessage, type Subject } from './messages/message';
export { type DeliveryOutcome } from './delivery/delivery-outcome';
export {
  BEGINNINGS,
  isOffer,
  MESSAGE_KINDS,
  MESSAGES,
  readContent,
  type MessageKind,
} from './messages/message-catalogue';
export {
  readGrantedReply,
  type GrantedReply,
  type OfferPayload,
  type ResharePayload,
  type ShareRequestPayload,
} from './messages/payloads';
export type { Randomness } from './ports/randomness';
export type { PeerDiscovery } from './ports/peer-discovery';
export type { DeliverySender } from './ports/delivery-sender';
export { givenUp, settle, type Settlement } from './delivery/settlement';
export {
  DELIVERED_BY_ACCESS,
  isLeftToUs,
  shareProgress,
  type DeliveryState,
} from './delivery/share-progress';
export type { AttemptEvidence, DeliveryReport } from './ports/delivery-report';
export type { ProfileFound } from './ports/profile-found';
export { takeNotice } from './inbound/take-notice';
export { takeOffer, type TakenOffer } from './inbound/take-offer';
export type { InboundPorts, OfferVerdict } from './ports/inbound';
export type {
  InboundPartners,
  KnownPartner,
  KnownParties,
  OfferParties,
  PersonNames,
} from './ports/inbound-partners';
export type { OurShares, OurShareStore, RequestedShare } from './ports/our-shares';
export type {
  OfferedToUs,
  ReceivedShareChanges,
  ReceivedSharesHeld,
  StoredOffer,
} from './ports/received-share-changes';
export type { Proof, Prove, ProvenSenders, SenderCheck, SigningHost } from './ports/sender-proof';
export {
  afterAcceptance,
  afterReceivedShareEnded,
  afterShareEnded,
  type EventEffect,
  type ReceivedShareFacts,
  type ShareFacts,
  type SubjectMessage,
} from './messages/share-events';
export { afterGrant, recipientToNotify } from './delivery/granted-reshare';
export { sendMessage } from './delivery/send-message';
export {
  changeForRecipient,
  changeForRequester,
  changeOfContent,
  offerInstead,
  type NewMessage,
} from './messages/new-message';
export type { OutboundPartners, OutboundPorts, ShareDemands } from './ports/outbound';
export type {
  AcceptanceChanges,
  AcceptancePorts,
  Acceptor,
  AwaitedLink,
  DecisionChanges,
  AutoAcceptChanges,
} from './ports/acceptance';
export { answerToOffer, type DecidedShare, type TouchedShare } from './messages/new-message';
export { acceptReceived, declineReceived } from './received/decide-received';
export { acceptAwaited } from './received/accept-awaited';
export type {
  RoundLimits,
  Showing,
  ShareWatchPorts,
  DueShare,
  ShownEntry,
  WatchedContent,
  WatchedShares,
} from './ports/share-watch';
export { watchRound } from './received/watch-round';
export {
  findWebapp,
  openWebapp,
  WebappRefused,
  type WebappEntry,
  type WebappPorts,
} from './webapps/open-webapp';
export {
  KEPT_LOST_DAYS,
  ONE_REFUSAL_LEFT,
  IN_USE_FOR_MS,
  USE_NOTED_MS,
  type ShareUse,
  type WatchDecision,
} from './received/share-watch';
export {
  discoverPartner,
  isKnownPartner,
  isWell,
  profileOf,
  provenProfile,
  type DiscoveryPorts,
} from './partners/discover-partner';
export { PARTNER_DECISIONS } from './partners/partner-decisions';
export { pinnedTo } from './partners/pin-partner';
export { readProfile } from './partners/stored-profile';
export {
  movedIdPattern,
  movedSpellings,
  readMove,
  renamePartner,
  type AskedHost,
  type PartnerMove,
  type RenamePorts,
  type RenameRequest,
} from './partners/rename-partner';
export type { ReachedPartners } from './ports/reached-partners';
export type { AgreedSecret, HandshakePorts, HandshakeState } from './ports/handshakes';
export { stepHandshake } from './trust/step-handshake';
export { readAddressBook } from './trust/read-address-book';
export type {
  AddressBookPorts,
  BookAnswer,
  BookChanges,
  DueAddressBook,
  ListedCard,
  StoredCard,
} from './ports/address-books';
export type {
  AcceptanceCall,
  UnreportedAcceptance,
  ReportAcceptancePorts,
} from './ports/waiting-acceptances';
export { reportAcceptance } from './invitations/report-acceptance';
export type { LinkFailure, LinkReader, LinkToSave, SaveLinkPorts } from './ports/foreign-links';
export { saveLink } from './links/save-link';
export type { MailAnswer, MailLookupPorts, MailLookupResult } from './ports/mail-lookups';
export { findByMail } from './people/find-by-mail';
