import { Module } from '@nestjs/common';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { Database, NodePropertyRepository } from '#persistence';
import { StorageModule } from '#storage';
import { AppsController } from './provisioning/apps.controller';
import { CurrentUserController } from './provisioning/current-user.controller';
import { GroupsController } from './provisioning/groups.controller';
import { MembershipsController } from './provisioning/memberships.controller';
import { provisioningFailure } from './provisioning/provisioning-failures';
import { UsersController } from './provisioning/users.controller';
import { ServerInfoController } from './server-info.controller';
import { SettingsController } from './settings/settings.controller';
import { ExpirySweep } from './shares/expiry-sweep';
import { FavoriteTags } from './shares/favorite-tags';
import { sharingFailure } from './shares/share-failures';
import { SharePresenter } from './shares/share-presenter';
import { SharesController } from './shares/shares.controller';
import { IdentityDirectory, ServerSharingPorts, StorageTree } from './shares/sharing-adapters';

/** What users and administrators call: shares, provisioning, settings. */
@Module({
  imports: [OcsHttpModule, StorageModule],
  controllers: [
    SharesController,
    UsersController,
    MembershipsController,
    GroupsController,
    AppsController,
    CurrentUserController,
    ServerInfoController,
    SettingsController,
  ],
  providers: [
    {
      provide: NodePropertyRepository,
      inject: [Database],
      useFactory: (database: Database) => new NodePropertyRepository(database),
    },
    ExpirySweep,
    FavoriteTags,
    SharePresenter,
    IdentityDirectory,
    StorageTree,
    ServerSharingPorts,
  ],
})
export class ShareApiModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping((error) => sharingFailure(error));
    errors.addMapping(provisioningFailure);
  }
}
