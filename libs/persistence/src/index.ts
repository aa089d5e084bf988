export { isConnectionFailure } from './connection-failure';
export { ChangeFeed, type ChangeTopic } from './change-feed';
export { Database, type Queryable, type Transaction } from './database';
export { poolerOf } from './pooler';
export { SESSION_OPTIONS } from './session-options';
export { examineReplica } from './read-replica';
export { UnfitReplica } from './replayed-position';
export type { BackedUpTable } from './backup/catalogue';
export { DatabaseRestore, RestoreUnderWay, withRestore } from './backup/database-restore';
export { BackupUnderWay, DatabaseSnapshot, withSnapshot } from './backup/database-snapshot';
export { UnfinishedRestore } from './backup/unfinished-restore';
export { FreshCache } from './fresh-cache';
export {
  migrate,
  MIGRATION_NAMES,
  missingMigrations,
  schemaDifference,
  type SchemaDifference,
} from './migrate';
export { PersistenceModule } from './persistence.module';
export { agreeOnLookupKey } from './lookup-key';
export { SealedSecretRepository } from './repositories/operation/sealed-secret.repository';
export { AccessTokenRepository, type AccessTokenRow } from './repositories/trust/access-token.repository';
export {
  AccountRepository,
  type AccountChange,
  type AccountRow,
  type IdentityAtSource,
} from './repositories/accounts/account.repository';
export { AccountStateRepository } from './repositories/accounts/account-state.repository';
export { ADMIN_GROUP, LastAdministrator } from './repositories/accounts/last-administrator';
export {
  ACTOR_KINDS,
  AuditLogRepository,
  OUTCOMES,
  type AuditEvent,
  type AuditFilter,
} from './repositories/audit/audit-log.repository';
export { AuditRepository } from './repositories/audit/audit.repository';
export { OperationSampleRepository } from './repositories/operation/operation-sample.repository';
export { CallBudgetRepository, type Budget } from './repositories/operation/call-budget.repository';
export {
  AppPasswordRepository,
  type AppPasswordChoice,
  type AppPasswordRow,
  type LiveAppPassword,
} from './repositories/accounts/app-password.repository';
export {
  BrowserSessionRepository,
  type BrowserSessionRow,
} from './repositories/accounts/browser-session.repository';
export { AccountEndRepository, type AccountEndPreview } from './repositories/accounts/account-end.repository';
export { AccountEndSteps } from './repositories/accounts/account-end-steps';
export {
  ScimClientRepository,
  type LiveScimClient,
  type ScimClientRow,
} from './repositories/accounts/scim-client.repository';
export {
  ScimProvisioning,
  type ScimAccountChange,
  type ScimRefusal,
} from './repositories/accounts/scim-provisioning';
export {
  ScimResourceRepository,
  type ScimKind,
  type ScimResourceChange,
  type ScimResourceRow,
} from './repositories/accounts/scim-resource.repository';
export { LoginFlowRepository, type WaitingLoginFlow } from './repositories/accounts/login-flow.repository';
export {
  ExternalIdentityRepository,
  type AccountReport,
  type ExternalIdentity,
  type ReadIdentity,
  type ManagedField,
} from './repositories/accounts/external-identity.repository';
export type { SourceName } from './repositories/accounts/source-name';
export { IssuerSignOuts, type SignOut } from './repositories/accounts/issuer-sign-outs.repository';
export {
  DirectorySyncRepository,
  type DirectorySyncState,
} from './repositories/accounts/directory-sync.repository';
export {
  ExternalGroupRepository,
  type ExternalGroup,
} from './repositories/accounts/external-group.repository';
export type { MembershipChange } from './repositories/accounts/given-memberships';
export type { Membership } from './repositories/accounts/memberships';
export { PasskeyRepository, type PasskeyRow } from './repositories/accounts/passkey.repository';
export { SecondFactorRepository } from './repositories/accounts/second-factor.repository';
export type { Strength } from './entities/accounts/strength';
export { GroupRepository } from './repositories/accounts/group.repository';
export { ThrottleRepository, type Throttled } from './repositories/accounts/throttle.repository';
export { BackupTimesRepository } from './repositories/operation/backup-times.repository';
export { InstanceHealthRepository } from './repositories/operation/instance-health.repository';
export { ShareEventRepository } from './repositories/deliveries/share-event.repository';
export { PushAudienceRepository } from './repositories/files/push-audience.repository';
export { QuarantineRepository, type QuarantinedContent } from './repositories/files/quarantine.repository';
export { BlobRepository, type StoredFile } from './repositories/files/blob.repository';
export { MountPlacementRepository } from './repositories/files/mount-placement.repository';
export { DoubtedShareRepository } from './repositories/shares/doubted-share.repository';
export { VersionExpiryRepository } from './repositories/files/version-expiry.repository';
export { TrashExpiryRepository } from './repositories/files/trash-expiry.repository';
export { TrashRepository } from './repositories/files/trash.repository';
export { VersionRepository } from './repositories/files/version.repository';
export type { CurrentAuthor, VersionRow } from './repositories/files/version-statements';
export type { TrashedRow } from './repositories/files/trash-statements';
export {
  ENDED_SHARE_DAYS,
  EndedShareRepository,
  type EndedShare,
} from './repositories/shares/ended-share.repository';
export { ShareTimelineRepository } from './repositories/shares/share-timeline.repository';
export { MountRepository, type MountRow } from './repositories/files/mount.repository';
export { NodeCheckRepository } from './repositories/files/node-check.repository';
export { NodePropertyRepository } from './repositories/files/node-property.repository';
export { sharedNodeOf, type NodeRow } from './repositories/files/node-row';
export {
  exceedsPathLimit,
  NodeWriteRepository,
  type ContentAuthor,
  type NodeCopy,
} from './repositories/files/node-write.repository';
export { NodeRepository, type NodeBelow, type NodeFilter } from './repositories/files/node.repository';
export type { BarePlace, StoredPlace } from './repositories/files/place-statements';
export type { PlaceLock } from './repositories/files/lock-sql';
export { LockRepository } from './repositories/files/lock.repository';
export type { LockRow } from './repositories/files/lock-statements';
export { PartnerGateRepository, type PartnerTrouble } from './repositories/partners/partner-gate.repository';
export {
  isOfferedWithSecondFactor,
  PartnerShareRepository,
  type PartnerShareRow,
} from './repositories/shares/partner-share.repository';
export { PublicLinkRepository, type PublicLinkRow } from './repositories/shares/public-link.repository';
export { SettingRepository, type CapabilityEntry } from './repositories/operation/setting.repository';
export { BarredOffers } from './repositories/shares/barred-offers';
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
export {
  AvatarRepository,
  type AvatarPicture,
  type KeptAvatar,
} from './repositories/accounts/avatar.repository';
export { PrivateValueRepository, type PrivateValue } from './repositories/accounts/private-value.repository';
export { UploadCheckRepository, type StoredPiece } from './repositories/files/upload-check.repository';
export { UploadFiguresRepository } from './repositories/files/upload-figures.repository';
export { ShareeRepository } from './repositories/accounts/sharee.repository';
export { OutboxRepository, type MessageVerdict } from './repositories/deliveries/outbox.repository';
export type { Search } from './repositories/partners/partner-walk';
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
export {
  DeliveryAdministrationRepository,
  type AdministeredDelivery,
  type DeliverySelection,
} from './repositories/deliveries/delivery-administration.repository';
export { DirectoryServiceRepository } from './repositories/partners/directory-service.repository';
export {
  SentShareRequestRepository,
  type SentShareRequestRow,
} from './repositories/partners/sent-share-request.repository';
export { ShareRequestRepository } from './repositories/shares/share-request.repository';
export { OfferBlockRepository, type OfferBlockRow } from './repositories/partners/offer-block.repository';
export { OfferPartiesRepository } from './repositories/partners/offer-parties.repository';
export { OfferReportRepository } from './repositories/partners/offer-report.repository';
export {
  PartnerRenameRepository,
  type SettledRename,
} from './repositories/partners/partner-rename.repository';
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
} from './repositories/partners/invitation-acceptance.repository';
export { MailLookupRepository } from './repositories/partners/mail-lookup.repository';
export { FoundByMailRepository } from './repositories/accounts/found-by-mail.repository';
export { ForeignLinkRepository, type SettledLink } from './repositories/partners/foreign-link.repository';
export { AddressCardRepository, type ListedCardRow } from './repositories/partners/address-card.repository';
export { PartnerAddressBookRepository } from './repositories/partners/partner-address-book.repository';
export { HandshakeRepository, type HandshakeRow } from './repositories/partners/handshake.repository';
export { NoticePartnerRepository } from './repositories/partners/notice-partner.repository';
export {
  PartnerKeysRepository,
  type PartnerKeysRow,
  type ReadKeys,
} from './repositories/trust/partner-keys.repository';
export { PeerTrustRepository, type RegardedPeer } from './repositories/partners/peer-trust.repository';
export { PeerRepository, type PeerRow } from './repositories/partners/peer.repository';
export {
  PeerAdministrationRepository,
  type AdministeredPeer,
  type ChosenSignatures,
  type DeliveryLimits,
  type PeerDetails,
} from './repositories/partners/peer-administration.repository';
export { InboxRepository } from './repositories/deliveries/inbox.repository';
export { InboxShareRepository } from './repositories/shares/inbox-share.repository';
export { ENDED_SHARE, REMOTE_SHARE, SHARE_REQUEST } from './repositories/accounts/notified-objects';
export { ReceivedShareNoticeRepository } from './repositories/shares/received-share-notice.repository';
export {
  ReceivedShareRepository,
  type ListedShareRow,
  type ReceivedShareRow,
} from './repositories/shares/received-share.repository';
export {
  GroupRecipientRepository,
  type GroupRecipient,
} from './repositories/shares/group-recipient.repository';
export {
  RemoteMemberRepository,
  type NewRemoteMember,
  type RemoteMember,
} from './repositories/accounts/remote-member.repository';
export { SeenOfferRepository } from './repositories/shares/seen-offer.repository';
export { ExpiringShareRepository } from './repositories/shares/expiring-share.repository';
export {
  NotificationMailRepository,
  type DueNotification,
} from './repositories/accounts/notification-mail.repository';
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
export { PeerRenameRepository } from './repositories/partners/peer-rename.repository';
export { UnansweredShareRepository } from './repositories/shares/unanswered-share.repository';
export {
  NEWS_KEPT_SECONDS,
  PushNewsRepository,
  type NewsPosition,
  type NewsTopic,
} from './repositories/files/push-news.repository';
export { announceProbes } from './repositories/shares/announce-probes';
export { ShareWatchRepository, type ClaimedProbe } from './repositories/shares/share-watch.repository';
export { StorageRoomRepository, type Room } from './repositories/files/storage-room.repository';
export { UnfinishedCopyRepository, type DeadCopy } from './repositories/files/unfinished-copy.repository';
export { BackgroundMoveRepository, type MoveOutcome } from './repositories/files/background-move.repository';
export { UploadRepository } from './repositories/files/upload.repository';
export { KeptFilesRepository } from './repositories/files/kept-files.repository';
export { CachedContentRepository, type CachedContent } from './repositories/files/cached-content.repository';
export { StoredWriteRepository } from './repositories/files/stored-write.repository';
export type { StoredWrite } from './repositories/files/stored-write-statements';
export type {
  UploadKind,
  UploadPart,
  UploadRow,
  UploadSender,
  UploadDeclaration,
} from './repositories/files/upload-statements';
