import { AccountEndEntity } from './accounts/account-end.entity';
import { AppPasswordEntity } from './accounts/app-password.entity';
import { BrowserSessionEntity } from './accounts/browser-session.entity';
import { ExternalGroupEntity, ExternalMembershipEntity } from './accounts/external-group.entity';
import { DirectorySyncEntity } from './accounts/directory-sync.entity';
import { ExternalIdentityEntity } from './accounts/external-identity.entity';
import { GroupRemoteMemberEntity } from './accounts/group-remote-member.entity';
import { LoginFlowEntity } from './accounts/login-flow.entity';
import { MailOutboxEntity } from './accounts/mail-outbox.entity';
import { NotificationEntity } from './accounts/notification.entity';
import { NotificationMailEntity } from './accounts/notification-mail.entity';
import { RecoveryCodeEntity } from './accounts/recovery-code.entity';
import { ShareNoticeDismissedEntity } from './accounts/share-notice-dismissed.entity';
import { ScimClientEntity } from './accounts/scim-client.entity';
import { ScimResourceEntity } from './accounts/scim-resource.entity';
import { ThrottleEntity } from './accounts/throttle.entity';
import { PasskeyEntity } from './accounts/passkey.entity';
import { TotpEntity } from './accounts/totp.entity';
import { UserAccountEntity } from './accounts/user-account.entity';
import { PrivateValueEntity } from './accounts/private-value.entity';
import { UserAvatarEntity } from './accounts/user-avatar.entity';
import { GroupMemberEntity, GroupSubadminEntity, UserGroupEntity } from './accounts/user-group.entity';
import { UserPreferenceEntity } from './accounts/user-preference.entity';
import { AuditEventEntity } from './audit/audit-event.entity';
import { DeliveryAttemptEntity } from './deliveries/delivery-attempt.entity';
import { InboxMessageEntity } from './deliveries/inbox-message.entity';
import { OutboxMessageEntity } from './deliveries/outbox-message.entity';
import { BackgroundMoveEntity } from './files/background-move.entity';
import { ShareEventEntity } from './deliveries/share-event.entity';
import { DeadPropertyEntity } from './files/dead-property.entity';
import { NodeEntity } from './files/node.entity';
import { NodeLockEntity } from './files/node-lock.entity';
import { StorageEntity } from './files/storage.entity';
import { UnfinishedCopyEntity } from './files/unfinished-copy.entity';
import { UploadEntity } from './files/upload.entity';
import { UploadPartEntity } from './files/upload-part.entity';
import { FileVersionEntity } from './files/file-version.entity';
import { QuarantinedContentEntity } from './files/quarantined-content.entity';
import { CachedContentEntity } from './files/cached-content.entity';
import { StoredWriteEntity } from './files/stored-write.entity';
import { TrashedNodeEntity } from './files/trashed-node.entity';
import { CallBudgetEntity } from './operation/call-budget.entity';
import { PushNewsEntity } from './operation/push-news.entity';
import { InstanceEntity } from './operation/instance.entity';
import { OperationSampleEntity } from './operation/operation-sample.entity';
import { SchemaFunctionEntity } from './operation/schema-function.entity';
import { CapabilityEntryEntity, SettingEntity } from './operation/setting.entity';
import { ContactEntity } from './partners/contact.entity';
import { DirectoryServiceEntity } from './partners/directory-service.entity';
import { OfferBlockEntity } from './partners/offer-block.entity';
import { PartnerRenameEntity } from './partners/partner-rename.entity';
import { SentShareRequestEntity } from './partners/sent-share-request.entity';
import { OfferReportEntity } from './partners/offer-report.entity';
import { ForeignLinkEntity } from './partners/foreign-link.entity';
import { InvitationAcceptanceEntity, InvitationEntity } from './partners/invitation.entity';
import { PeerEntity } from './partners/peer.entity';
import { TrustedHandshakeEntity } from './partners/trusted-handshake.entity';
import { AddressCardEntity } from './partners/address-card.entity';
import { MailLookupEntity } from './partners/mail-lookup.entity';
import { PartnerAddressBookEntity, PartnerAddressCardEntity } from './partners/partner-address-book.entity';
import { ContentChangeEntity } from './shares/content-change.entity';
import { EndedShareEntity } from './shares/ended-share.entity';
import { GroupRecipientEntity } from './shares/group-recipient.entity';
import { GroupShareDueEntity } from './shares/group-share-due.entity';
import { LinkOfDeletedNodeEntity } from './shares/link-of-deleted-node.entity';
import { ReceivedShareEntity } from './shares/received-share.entity';
import { ShareEntity } from './shares/share.entity';
import { ShareRecipientEntity } from './shares/share-recipient.entity';
import { TrashedOfferEntity } from './shares/trashed-offer.entity';
import { PartnerKeysEntity } from './trust/partner-keys.entity';
import { SeenSignatureEntity } from './trust/seen-signature.entity';
import { SigningKeyEntity } from './trust/signing-key.entity';

/** One entity per table, by subject; `docs/schema.md` draws them. */
export const ENTITIES = [
  UserAccountEntity,
  PrivateValueEntity,
  UserAvatarEntity,
  UserGroupEntity,
  GroupMemberEntity,
  GroupRemoteMemberEntity,
  GroupSubadminEntity,
  UserPreferenceEntity,
  ScimClientEntity,
  ScimResourceEntity,
  ThrottleEntity,
  BrowserSessionEntity,
  AccountEndEntity,
  AppPasswordEntity,
  LoginFlowEntity,
  DirectorySyncEntity,
  ExternalIdentityEntity,
  ExternalGroupEntity,
  ExternalMembershipEntity,
  PasskeyEntity,
  TotpEntity,
  RecoveryCodeEntity,
  NotificationEntity,
  NotificationMailEntity,
  ShareNoticeDismissedEntity,
  MailOutboxEntity,
  StorageEntity,
  NodeEntity,
  DeadPropertyEntity,
  UnfinishedCopyEntity,
  UploadEntity,
  UploadPartEntity,
  BackgroundMoveEntity,
  FileVersionEntity,
  QuarantinedContentEntity,
  StoredWriteEntity,
  CachedContentEntity,
  TrashedNodeEntity,
  NodeLockEntity,
  ShareEntity,
  ShareRecipientEntity,
  LinkOfDeletedNodeEntity,
  ContentChangeEntity,
  EndedShareEntity,
  GroupRecipientEntity,
  GroupShareDueEntity,
  ReceivedShareEntity,
  TrashedOfferEntity,
  PeerEntity,
  ContactEntity,
  DirectoryServiceEntity,
  OfferBlockEntity,
  OfferReportEntity,
  PartnerRenameEntity,
  InvitationEntity,
  InvitationAcceptanceEntity,
  SentShareRequestEntity,
  ForeignLinkEntity,
  TrustedHandshakeEntity,
  AddressCardEntity,
  MailLookupEntity,
  PartnerAddressBookEntity,
  PartnerAddressCardEntity,
  OutboxMessageEntity,
  DeliveryAttemptEntity,
  InboxMessageEntity,
  ShareEventEntity,
  SigningKeyEntity,
  SeenSignatureEntity,
  PartnerKeysEntity,
  AuditEventEntity,
  SettingEntity,
  CapabilityEntryEntity,
  InstanceEntity,
  CallBudgetEntity,
  PushNewsEntity,
  OperationSampleEntity,
  SchemaFunctionEntity,
];
