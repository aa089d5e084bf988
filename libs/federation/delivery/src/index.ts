export { PAUSE_AFTER_DOUBT_MS } from './backoff';
export { afterOutcome, breakerState, isTroubled } from './breaker';
export { coalesce } from './coalescing';
export { admit, type Gate } from './gate';
export { MESSAGE_STATES, type MessageState, type OutgoingMessage, type Subject } from './message';
export { type DeliveryOutcome, type ErrorClass, type Evidence } from './outcome';
export { BEGINNINGS, MESSAGES, plainNotice, readContent, type MessageKind } from './message-catalogue';
export {
  readGrantedReply,
  type GrantedReply,
  type NoticePayload,
  type OfferPayload,
  type PermissionsPayload,
  type ResharePayload,
} from './payloads';
export type { Randomness } from './ports';
export type { PeerDiscovery } from './peer-discovery';
export type { DeliverySender } from './sender';
export { settle, type Settlement } from './settlement';
export { HEARD_BY_ACCESS, isLeftToUs, shareProgress, type DeliveryState } from './share-progress';
