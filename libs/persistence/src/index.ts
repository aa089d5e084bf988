export { ChangeFeed } from './change-feed';
export { Database, type Queryable } from './database';
export type { BackedUpTable } from './backup/catalogue';
export { DatabaseRestore, RestoreUnderWay, withRestore } from './backup/database-restore';
export { BackupUnderWay, DatabaseSnapshot, withSnapshot } from './backup/database-snapshot';
export { UnfinishedRestore } from './backup/unfinished-restore';
export { FreshCache } from './fresh-cache';
export { migrate, MIGRATION_NAMES, missingMigrations } from './migrate';
export { PersistenceModule } from './persistence.module';
export { agreeOnLookupKey } from './lookup-key';
export { SealedSecretRepository } from './repositories/sealed-secret.repository';
export { statement } from './statement';
export { AccessTokenRepository, type AccessTokenRow } from './repositories/access-token.repository';
export { AccountRepository, type AccountChange, type AccountRow } from './repositories/account.repository';
export {
  ACTOR_KINDS,
  AuditRepository,
  OUTCOMES,
  type AuditEvent,
  type AuditFilter,
} from './repositories/audit.repository';
export { CallBudgetRepository, type Budget } from './repositories/call-budget.repository';
export { GroupRepository } from './repositories/group.repository';
export { ThrottleRepository, type Throttled } from './repositories/throttle.repository';
export { InstanceHealthRepository } from './repositories/instance-health.repository';
export { BlobRepository, type StoredFile } from './repositories/blob.repository';
export { MountPlacementRepository } from './repositories/mount-placement.repository';
export {
  ENDED_SHARE,
  ENDED_SHARE_DAYS,
  EndedShareRepository,
  type EndedShare,
} from './repositories/ended-share.repository';
export { MountRepository, type MountRow } from './repositories/mount.repository';
export { NodeCheckRepository } from './repositories/node-check.repository';
export { NodePropertyRepository } from './repositories/node-property.repository';
export type { NodeRow } from './repositories/node-row';
export { exceedsPathLimit, NodeWriteRepository, type NodeCopy } from './repositories/node-write.repository';
export { NodeRepository } from './repositories/node.repository';
export type { Place } from './repositories/place-statements';
export { PartnerGateRepository, type PartnerTrouble } from './repositories/partner-gate.repository';
export { PartnerShareRepository, type PartnerShareRow } from './repositories/partner-share.repository';
export { PublicLinkRepository, type PublicLinkRow } from './repositories/public-link.repository';
export { SettingRepository, type CapabilityEntry } from './repositories/setting.repository';
export { ShareChangeMessages } from './repositories/share-change-messages';
export { ShareRepository } from './repositories/share.repository';
export { ShareAdministrationRepository } from './repositories/share-administration.repository';
export { MailOutboxRepository, type DueNotice } from './repositories/mail-outbox.repository';
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
  type QueuedMessage,
} from './repositories/outbox-dispatch.repository';
export {
  DeliveryRepository,
  type ClaimedMessage,
  type FinishedAttempt,
} from './repositories/delivery.repository';
export { DeliveryFiguresRepository } from './repositories/delivery-figures.repository';
export { DeliveryAdministrationRepository } from './repositories/delivery-administration.repository';
export { ContactRepository, type ContactRow } from './repositories/contact.repository';
export { InvitationMailRepository, type DueInvitation } from './repositories/invitation-mail.repository';
export {
  InvitationRepository,
  type InvitationRow,
  type PresentedInvitation,
} from './repositories/invitation.repository';
export {
  InvitationAcceptanceRepository,
  type SettledAcceptance,
  type WaitingAcceptance,
} from './repositories/invitation-acceptance.repository';
export { HandshakeRepository, type HandshakeRow } from './repositories/handshake.repository';
export { NoticePartnerRepository, type NoticePartner } from './repositories/notice-partner.repository';
export {
  PartnerKeysRepository,
  type PartnerKeysRow,
  type SigningHostRow,
  type ReadKeys,
} from './repositories/partner-keys.repository';
export { PeerTrustRepository, type RegardedPeer } from './repositories/peer-trust.repository';
export { PeerRepository, type PeerRow } from './repositories/peer.repository';
export { PeerAdministrationRepository } from './repositories/peer-administration.repository';
export { InboxRepository } from './repositories/inbox.repository';
export {
  InboxShareRepository,
  type NotifiedShareRow,
  type RequestedShare,
  type RequestedShareRow,
} from './repositories/inbox-share.repository';
export { REMOTE_SHARE, ReceivedShareNoticeRepository } from './repositories/received-share-notice.repository';
export {
  ReceivedShareRepository,
  type NewReceivedShare,
  type ListedShareRow,
  type ReceivedShareRow,
} from './repositories/received-share.repository';
export { SeenSignatureRepository } from './repositories/seen-signature.repository';
export {
  SigningKeyRepository,
  type SealedSigningKey,
  type SigningKeyRow,
} from './repositories/signing-key.repository';
export {
  RemoteNodeRepository,
  type RemoteNode,
  type RemoteRoot,
} from './repositories/remote-node.repository';
export type { MountedShareRow } from './repositories/remote-share-statements';
export { PeerRenameRepository, type PeerMove } from './repositories/peer-rename.repository';
export type { MovedShareRow } from './repositories/peer-rename-statements';
export { UnansweredShareRepository } from './repositories/unanswered-share.repository';
export { ShareWatchRepository, type ClaimedLook } from './repositories/share-watch.repository';
export { StorageRoomRepository, type Room } from './repositories/storage-room.repository';
