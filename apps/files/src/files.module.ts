import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { PersistenceModule } from '#persistence';
import { ErrorPresenters } from '#platform';
import { SettingsModule } from '#settings';
import { LinkAccess, LinkSignatures, StorageModule } from '#storage';
import { ContentController } from './dav/content.controller';
import { DavAccessGuard } from './dav/dav-access.guard';
import { DavErrorPresenter } from './dav/dav-error.presenter';
import { PropertiesController } from './dav/properties.controller';
import { TreeController } from './dav/tree.controller';
import { ShareFolder } from './dav/share-folder';
import { SearchController } from './dav/search.controller';
import { TreeSearch } from './dav/tree-search';
import { TokenAccess } from './dav/token-access';
import { LinkTokenAccess } from './links/link-token-access';
import { LinkPageController } from './links/link-page.controller';
import { LinkPages } from './links/link-pages';
import { LandingController } from './pages/landing.controller';
import { PageErrorPresenter } from './pages/page-error.presenter';
import { InvitationPageController } from './pages/invitation-page.controller';
import { SavePageController } from './pages/save-page.controller';
import { PartnerAdmission } from './partners/partner-admission';
import { PartnerTokenAccess } from './partners/partner-token-access';
import { PrivateLinkController } from './private-links/private-link.controller';
import { ChunkedUploadController } from './uploads/chunked-upload.controller';
import { TusAccessGuard } from './uploads/tus/tus-access.guard';
import { TusCreationController } from './uploads/tus/tus-creation.controller';
import { TusUploadController } from './uploads/tus/tus-upload.controller';
import { TusUploads } from './uploads/tus/tus-uploads';
import { NamedChunks } from './uploads/named-chunks';
import { UploadAccessGuard } from './uploads/upload-access.guard';
import { TrashAccessGuard } from './trash/trash-access.guard';
import { TrashContent } from './trash/trash-content';
import { TrashController } from './trash/trash.controller';
import { BlobSweepSchedule } from './upkeep/blob-sweep.schedule';
import { ExpiredUploadsSchedule } from './upkeep/expired-uploads.schedule';

/** The data plane: files over WebDAV, for users and for whoever holds a link, and the pages of links. */
@Module({
  imports: [PersistenceModule, IdentityModule, SettingsModule, StorageModule],
  controllers: [
    ChunkedUploadController,
    TrashController,
    TusUploadController,
    TusCreationController,
    PropertiesController,
    ContentController,
    TreeController,
    SearchController,
    LinkPageController,
    PrivateLinkController,
    SavePageController,
    InvitationPageController,
    LandingController,
  ],
  providers: [
    DavErrorPresenter,
    DavAccessGuard,
    TokenAccess,
    TreeSearch,
    UploadAccessGuard,
    TusAccessGuard,
    TusUploads,
    NamedChunks,
    ShareFolder,
    PartnerAdmission,
    PartnerTokenAccess,
    LinkAccess,
    LinkTokenAccess,
    LinkSignatures,
    LinkPages,
    PageErrorPresenter,
    TrashAccessGuard,
    TrashContent,
    BlobSweepSchedule,
    ExpiredUploadsSchedule,
  ],
})
export class FilesModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly davErrors: DavErrorPresenter,
    private readonly pageErrors: PageErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.davErrors);
    this.presenters.add(this.pageErrors);
  }
}
