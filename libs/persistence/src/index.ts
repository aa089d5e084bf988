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
export { SealedSecretRepository } from './repositories/operation/sealed-secret.repository';
export { AccessTokenRepository, type AccessTokenRow } from './repositories/trust/access-token.repository';
export {
  AccountRepository,
  type AccountChange,
  type AccountRow,
} from './repositories/accounts/account.repository';
export {
  ACTOR_KINDS,
  AuditRepository,
  OUTCOMES,
  type AuditEvent,
  type AuditFilter,
} from './repositories/audit/audit.repository';
export { CallBudgetRepository, type Budget } from './repositories/operation/call-budget.repository';
export { GroupRepository } from './repositories/accounts/group.repository';
export { ThrottleRepository, type Throttled } from './repositories/accounts/throttle.repository';
export { InstanceHealthRepository } from './repositories/operation/instance-health.repository';
export { BlobRepository, type StoredFile } from './repositories/files/blob.repository';
export { MountPlacementRepository } from './repositories/files/mount-placement.repository';
export { DoubtedShareRepository } from './repositories/shares/doubted-share.repository';
export { TrashExpiryRepository } from './repositories/files/trash-expiry.repository';
export { TrashRepository } from './repositories/files/trash.repository';
export type { TrashedRow } from './repositories/files/trash-statements';
export {
  ENDED_SHARE,
  ENDED_SHARE_DAYS,
  EndedShareRepository,
  type EndedShare,
} from './repositories/shares/ended-share.repository';
export { MountRepository, type MountRow } from './repositories/files/mount.repository';
export { NodeCheckRepository } from './repositories/files/node-check.repository';
export { NodePropertyRepository } from './repositories/files/node-property.repository';
export type { NodeRow } from './repositories/files/node-row';
export {
  exceedsPathLimit,
  NodeWriteRepository,
  type NodeCopy,
} from './repositories/files/node-write.repository';
export { NodeRepository, type NodeBelow, type NodeFilter } from './repositories/files/node.repository';
export type { Place } from './repositories/files/place-statements';
export { PartnerGateRepository, type PartnerTrouble } from './repositories/partners/partner-gate.repository';
export { PartnerShareRepository, type PartnerShareRow } from './repositories/shares/partner-share.repository';
export { PublicLinkRepository, type PublicLinkRow } from './repositories/shares/public-link.repository';
export { SettingRepository, type CapabilityEntry } from './repositories/operation/setting.repository';
export { RestoredOffers } from './repositories/shares/restored-offers';
export { ShareChangeMessages } from './repositories/shares/share-change-messages';
export { ShareRepository } from './repositories/shares/share.repository';
export { ShareAdministrationRepository } from './repositories/shares/share-administration.repository';
export { MailOutboxRepository, type DueNotice } from './repositories/accounts/mail-outbox.repository';
export {
  NotificationRepository,
  type PendingShareRow,
  type StoredNotification,
} from './repositories/accounts/notification.repository';
export { ShareeRepository } from './repositories/accounts/sharee.repository';
export {
  OutboxRepository,
  type MessageVerdict,
  type NewMessage,
} from './repositories/deliveries/outbox.repository';
export {
  OutboxDispatchRepository,
  type Dispatched,
  type DispatchedMessage,
  type QueuedMessage,
} from './repositories/deliveries/outbox-dispatch.repository';
export {
  DeliveryRepository,
  type ClaimedMessage,
  type FinishedAttempt,
} from './repositories/deliveries/delivery.repository';
export { DeliveryFiguresRepository } from './repositories/deliveries/delivery-figures.repository';
export { DeliveryAdministrationRepository } from './repositories/deliveries/delivery-administration.repository';
export { ContactRepository, type ContactRow } from './repositories/partners/contact.repository';
export {
  InvitationMailRepository,
  type DueInvitation,
} from './repositories/partners/invitation-mail.repository';
export {
  InvitationRepository,
  type InvitationRow,
  type PresentedInvitation,
} from './repositories/partners/invitation.repository';
export {
  InvitationAcceptanceRepository,
  type SettledAcceptance,
  type WaitingAcceptance,
} from './repositories/partners/invitation-acceptance.repository';
export {
  ForeignLinkRepository,
  type AskedLink,
  type SettledLink,
  type WaitingLink,
} from './repositories/partners/foreign-link.repository';
export { HandshakeRepository, type HandshakeRow } from './repositories/partners/handshake.repository';
export {
  NoticePartnerRepository,
  type NoticePartner,
} from './repositories/partners/notice-partner.repository';
export {
  PartnerKeysRepository,
  type PartnerKeysRow,
  type SigningHostRow,
  type ReadKeys,
} from './repositories/trust/partner-keys.repository';
export { PeerTrustRepository, type RegardedPeer } from './repositories/partners/peer-trust.repository';
export { PeerRepository, type PeerRow } from './repositories/partners/peer.repository';
export { PeerAdministrationRepository } from './repositories/partners/peer-administration.repository';
export { InboxRepository } from './repositories/deliveries/inbox.repository';
export {
  InboxShareRepository,
  type NotifiedShareRow,
  type RequestedShare,
  type RequestedShareRow,
} from './repositories/shares/inbox-share.repository';
export {
  REMOTE_SHARE,
  ReceivedShareNoticeRepository,
} from './repositories/shares/received-share-notice.repository';
export {
  ReceivedShareRepository,
  type NewReceivedShare,
  type ListedShareRow,
  type ReceivedShareRow,
} from './repositories/shares/received-share.repository';
export { SeenSignatureRepository } from './repositories/trust/seen-signature.repository';
export {
  SigningKeyRepository,
  type SealedSigningKey,
  type SigningKeyRow,
} from './repositories/trust/signing-key.repository';
export {
  RemoteNodeRepository,
  type RemoteNode,
  type RemoteRoot,
} from './repositories/files/remote-node.repository';
export type { MountedShareRow } from './repositories/files/remote-share-statements';
export { PeerRenameRepository, type PeerMove } from './repositories/partners/peer-rename.repository';
export type { MovedShareRow } from './repositories/partners/peer-rename-statements';
export { UnansweredShareRepository } from './repositories/shares/unanswered-share.repository';
export { ShareWatchRepository, type ClaimedProbe } from './repositories/shares/share-watch.repository';
export { StorageRoomRepository, type Room } from './repositories/files/storage-room.repository';
export { UploadRepository } from './repositories/files/upload.repository';
export type {
  UploadKind,
  UploadPart,
  UploadRow,
  UploadSender,
  UploadTold,
} from './repositories/files/upload-statements';
