import { Module } from '@nestjs/common';
import { RemoteMembers } from '#identity';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import {
  ContactRepository,
  GroupRecipientRepository,
  PrivateValueRepository,
  RemoteMemberRepository,
} from '#persistence';
import { OutboxModule } from '#queue';
import { LinkAccess, LinkSignatures, TreeModule } from '#storage';
import { AppPasswordController } from './app-passwords/app-password.controller';
import { appPasswordFailure } from './app-passwords/app-password-failures';
import { AuditModule } from './audit/audit.module';
import { EndedSharesModule } from './ended-shares/ended-shares.module';
import { ExternalMountsController } from './external-mounts.controller';
import { ForeignLinksModule } from './foreign-links/foreign-links.module';
import { InvitationsModule } from './invitations/invitations.module';
import { ShareMailModule } from './mail/share-mail.module';
import { NotificationsModule } from './notifications/notifications.module';
import { PartnerTrustModule } from './partners/partner-trust.module';
import { RemoteSharesModule } from './remote-shares/remote-shares.module';
import { AccountEndsController } from './provisioning/account-ends.controller';
import { AppsController } from './provisioning/apps.controller';
import { CurrentUserController } from './provisioning/current-user.controller';
import { GroupsController } from './provisioning/groups.controller';
import { MembershipsController } from './provisioning/memberships.controller';
import { PersonController } from './provisioning/person.controller';
import { provisioningFailure } from './provisioning/provisioning-failures';
import { RemoteMembersController } from './provisioning/remote-members.controller';
import { UsersController } from './provisioning/users.controller';
import { SaveLinkElsewhere } from './saved-links/save-link-elsewhere';
import { SavedLinksController } from './saved-links/saved-links.controller';
import { ServerInfoController } from './server-info.controller';
import { PrivateValues } from './private-values/private-values';
import { PrivateValuesController } from './private-values/private-values.controller';
import { PreferencesController } from './settings/preferences.controller';
import { SettingsController } from './settings/settings.controller';
import { ExpirySweep } from './shares/expiry-sweep';
import { GroupShareMembers } from './shares/group-share-members';
import { FavoriteTags } from './shares/favorite-tags';
import { QueuedPartners } from './shares/queued-partners';
import { sharingFailure } from './shares/share-failures';
import { OperatorsModule } from './operators/operators.module';
import { ScimModule } from './scim/scim.module';
import { ShareRequestsModule } from './share-requests/share-requests.module';
import { ShareLists } from './shares/share-lists';
import { SharePresenter } from './shares/share-presenter';
import { ShareesModule } from './sharees/sharees.module';
import { SharesController } from './shares/shares.controller';
import { IdentityDirectory, ServerSharingPorts, StorageTree } from './shares/sharing-adapters';
import { StoredWritesModule } from './stored-writes/stored-writes.module';
import { UnwantedOffersModule } from './unwanted-offers/unwanted-offers.module';
import { TimelinesModule } from './timelines/timelines.module';

/** Calls of users and administrators: shares, provisioning, settings. */
@Module({
  imports: [
    AuditModule,
    OcsHttpModule,
    OutboxModule,
    TreeModule,
    ShareesModule,
    NotificationsModule,
    ShareMailModule,
    InvitationsModule,
    ShareRequestsModule,
    PartnerTrustModule,
    RemoteSharesModule,
    ForeignLinksModule,
    EndedSharesModule,
    TimelinesModule,
    UnwantedOffersModule,
    StoredWritesModule,
    OperatorsModule,
    ScimModule,
  ],
  controllers: [
    SharesController,
    UsersController,
    MembershipsController,
    GroupsController,
    RemoteMembersController,
    AccountEndsController,
    AppsController,
    CurrentUserController,
    PersonController,
    AppPasswordController,
    ServerInfoController,
    ExternalMountsController,
    SettingsController,
    PreferencesController,
    PrivateValuesController,
    SavedLinksController,
  ],
  providers: [
    ContactRepository,
    GroupRecipientRepository,
    GroupShareMembers,
    RemoteMemberRepository,
    RemoteMembers,
    PrivateValueRepository,
    PrivateValues,
    ExpirySweep,
    FavoriteTags,
    ShareLists,
    SharePresenter,
    IdentityDirectory,
    StorageTree,
    QueuedPartners,
    ServerSharingPorts,
    LinkAccess,
    LinkSignatures,
    SaveLinkElsewhere,
  ],
})
export class ShareApiModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping((error) => sharingFailure(error));
    errors.addMapping(provisioningFailure);
    errors.addMapping(appPasswordFailure);
  }
}
