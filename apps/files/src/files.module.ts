import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { PersistenceModule } from '#persistence';
import { ErrorPresenters } from '#platform';
import { StorageModule } from '#storage';
import { ContentController } from './dav/content.controller';
import { DavErrorPresenter } from './dav/dav-error.presenter';
import { PropertiesController } from './dav/properties.controller';
import { TreeController } from './dav/tree.controller';
import { LandingController } from './pages/landing.controller';
import { BlobSweepSchedule } from './upkeep/blob-sweep.schedule';

/** The data plane: users' files over WebDAV. */
@Module({
  imports: [PersistenceModule, IdentityModule, StorageModule],
  controllers: [PropertiesController, ContentController, TreeController, LandingController],
  providers: [DavErrorPresenter, BlobSweepSchedule],
})
export class FilesModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly davErrors: DavErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.davErrors);
  }
}
