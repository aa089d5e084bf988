import { MailOutboxEntity } from './accounts/mail-outbox.entity';
import { NotificationEntity } from './accounts/notification.entity';
import { ShareNoticeDismissedEntity } from './accounts/share-notice-dismissed.entity';
import { ThrottleEntity } from './accounts/throttle.entity';
import { UserAccountEntity } from './accounts/user-account.entity';
import { GroupMemberEntity, GroupSubadminEntity, UserGroupEntity } from './accounts/user-group.entity';
import { UserPreferenceEntity } from './accounts/user-preference.entity';
import { AuditEventEntity } from './audit/audit-event.entity';
import { DeliveryAttemptEntity } from './deliveries/delivery-attempt.entity';
import { InboxMessageEntity } from './deliveries/inbox-message.entity';
import { OutboxMessageEntity } from './deliveries/outbox-message.entity';
import { DeadPropertyEntity } from './files/dead-property.entity';
import { NodeEntity } from './files/node.entity';
import { StorageEntity } from './files/storage.entity';
import { UploadEntity } from './files/upload.entity';
import { UploadPartEntity } from './files/upload-part.entity';
import { TrashedNodeEntity } from './files/trashed-node.entity';
import { CallBudgetEntity } from './operation/call-budget.entity';
import { InstanceEntity } from './operation/instance.entity';
import { CapabilityEntryEntity, SettingEntity } from './operation/setting.entity';
import { ContactEntity } from './partners/contact.entity';
import { ForeignLinkEntity } from './partners/foreign-link.entity';
import { InvitationAcceptanceEntity, InvitationEntity } from './partners/invitation.entity';
import { PeerEntity } from './partners/peer.entity';
import { TrustedHandshakeEntity } from './partners/trusted-handshake.entity';
import { EndedShareEntity } from './shares/ended-share.entity';
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
  UserGroupEntity,
  GroupMemberEntity,
  GroupSubadminEntity,
  UserPreferenceEntity,
  ThrottleEntity,
  NotificationEntity,
  ShareNoticeDismissedEntity,
  MailOutboxEntity,
  StorageEntity,
  NodeEntity,
  DeadPropertyEntity,
  UploadEntity,
  UploadPartEntity,
  TrashedNodeEntity,
  ShareEntity,
  ShareRecipientEntity,
  LinkOfDeletedNodeEntity,
  EndedShareEntity,
  ReceivedShareEntity,
  TrashedOfferEntity,
  PeerEntity,
  ContactEntity,
  InvitationEntity,
  InvitationAcceptanceEntity,
  ForeignLinkEntity,
  TrustedHandshakeEntity,
  OutboxMessageEntity,
  DeliveryAttemptEntity,
  InboxMessageEntity,
  SigningKeyEntity,
  SeenSignatureEntity,
  PartnerKeysEntity,
  AuditEventEntity,
  SettingEntity,
  CapabilityEntryEntity,
  InstanceEntity,
  CallBudgetEntity,
];
