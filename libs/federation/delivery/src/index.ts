export { lifetimeMs, PAUSE_AFTER_DOUBT_MS } from './backoff';
export { afterOutcome, breakerState, isTroubled } from './breaker';
export { coalesce } from './coalescing';
export { admit, type Gate } from './gate';
export {
  BEGINNINGS,
  MESSAGE_STATES,
  type MessageKind,
  type MessageState,
  type OutgoingMessage,
  type Subject,
} from './message';
export { type DeliveryOutcome, type ErrorClass, type Evidence } from './outcome';
export {
  readContent,
  readGrantedReply,
  type GrantedReply,
  type NoticePayload,
  type OfferPayload,
  type PermissionsPayload,
  type PlainKind,
  type ResharePayload,
} from './payloads';
export type { Randomness } from './ports';
export type { PeerDiscovery } from './peer-discovery';
export type { DeliverySender } from './sender';
export { settle, type Settlement } from './settlement';
export { HEARD_BY_ACCESS, isLeftToUs, shareProgress, type DeliveryState } from './share-progress';
