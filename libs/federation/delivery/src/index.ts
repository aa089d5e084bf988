export { lifetimeMs, MAX_RETRY_AFTER_MS, pauseAfter } from './backoff';
export { afterOutcome, breakerState, CLOSED, isTroubled, type Breaker, type BreakerState } from './breaker';
export { coalesce, type Coalesced, type OpenMessage } from './coalescing';
export { admit, DEFAULT_LIMITS, OPEN_GATE, type Admission, type Gate, type Limits } from './gate';
export {
  isOpen,
  MESSAGE_KINDS,
  MESSAGE_STATES,
  type MessageKind,
  type MessageState,
  type OutgoingMessage,
  type Subject,
} from './message';
export { ERROR_CLASSES, type DeliveryOutcome, type ErrorClass, type Evidence } from './outcome';
export {
  readContent,
  readGrantedReply,
  type GrantedReply,
  type MessageContent,
  type NoticePayload,
  type OfferPayload,
  type PermissionsPayload,
  type PlainKind,
  type ResharePayload,
} from './payloads';
export type { Clock, Randomness } from './ports';
export type { PeerDiscovery } from './peer-discovery';
export type { DeliverySender } from './sender';
export { presentable, settle, type Settlement } from './settlement';
export {
  ACCEPTANCE_SOURCES,
  ACCEPTANCES,
  DELIVERY_STATES,
  HEARD_BY_ACCESS,
  isLeftToUs,
  shareProgress,
  type Acceptance,
  type AcceptanceSource,
  type DeliveryState,
  type ShareProgress,
} from './share-progress';
