export { ChangeFeed, type ChangeTopic } from './change-feed';
export { Database, violates, type DatabaseOptions, type Queryable } from './database';
export { FreshCache } from './fresh-cache';
export { migrate, missingMigrations } from './migrate';
export { PersistenceModule } from './persistence.module';
export { statement, type Statement } from './statement';
export {
  AccountRepository,
  type AccountChange,
  type AccountRow,
  type NewAccount,
} from './repositories/account.repository';
export { GroupRepository } from './repositories/group.repository';
export { ThrottleRepository } from './repositories/throttle.repository';
export { BlobRepository, type StoredFile } from './repositories/blob.repository';
export {
  MountPlacementRepository,
  type Placement,
  type UnplacedShare,
} from './repositories/mount-placement.repository';
export { MountRepository, type MountRow } from './repositories/mount.repository';
export { NodeCheckRepository, type SuspectNode, type WrongSize } from './repositories/node-check.repository';
export {
  NodePropertyRepository,
  type DeadProperty,
  type StorageUsage,
} from './repositories/node-property.repository';
export type { NodeRow } from './repositories/node-row';
export {
  exceedsPathLimit,
  NodeWriteRepository,
  type MoveTarget,
  type NewContent,
  type NewNode,
  type NodeCopy,
} from './repositories/node-write.repository';
export { NodeRepository } from './repositories/node.repository';
export type { Place } from './repositories/place-statements';
export { PublicLinkRepository, type PublicLinkRow } from './repositories/public-link.repository';
export { SettingRepository, type CapabilityEntry } from './repositories/setting.repository';
export { ShareRepository } from './repositories/share.repository';
export {
  ShareAdministrationRepository,
  type AdministeredShare,
  type AdministeredSharesFilter,
} from './repositories/share-administration.repository';
export { MailOutboxRepository, type DueNotice, type Queueing } from './repositories/mail-outbox.repository';
export {
  NotificationRepository,
  type PendingShareRow,
  type StoredNotification,
} from './repositories/notification.repository';
export { ShareeRepository } from './repositories/sharee.repository';
export { OutboxRepository, type MessageVerdict, type NewMessage } from './repositories/outbox.repository';
export {
  OutboxDispatchRepository,
  type Dispatched,
  type DispatchedMessage,
} from './repositories/outbox-dispatch.repository';
export {
  DeliveryRepository,
  type ClaimedMessage,
  type FinishedAttempt,
} from './repositories/delivery.repository';
export {
  DeliveryAdministrationRepository,
  type AdministeredAttempt,
  type AdministeredDelivery,
  type DeliverySelection,
} from './repositories/delivery-administration.repository';
export { PeerRepository, type PeerRow, type Trust } from './repositories/peer.repository';
export {
  PeerAdministrationRepository,
  type AdministeredPeer,
  type PeerDetails,
} from './repositories/peer-administration.repository';
export { InboxRepository, type FirstReply, type InboxReply } from './repositories/inbox.repository';
export {
  InboxShareRepository,
  type NotifiedShareRow,
  type RequestedShareRow,
} from './repositories/inbox-share.repository';
export { REMOTE_SHARE, ReceivedShareNoticeRepository } from './repositories/received-share-notice.repository';
export {
  ReceivedShareRepository,
  type NewReceivedShare,
  type ReceivedShareRow,
  type ReceivedShareState,
} from './repositories/received-share.repository';
