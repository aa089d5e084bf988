import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '#identity';
import {
  AvatarRepository,
  PersistenceModule,
  ReceivedShareRepository,
  ShareeRepository,
  UploadFiguresRepository,
} from '#persistence';
import { ErrorPresenters } from '#platform';
import { SettingsModule } from '#settings';
import { LinkAccess, LinkSignatures, StorageModule } from '#storage';
import { AvatarController } from './avatars/avatar.controller';
import { AvatarFiles } from './avatars/avatar-files';
import { AvatarPeople } from './avatars/avatar-people';
import { AvatarPictures } from './avatars/avatar-pictures';
import { OwnAvatarController } from './avatars/own-avatar.controller';
import { ArchiveReplies } from './archives/archive-replies';
import { LinkPreviewController } from './previews/link-preview.controller';
import { ShareInfoController } from './share-info/share-info.controller';
import { PreviewController } from './previews/preview.controller';
import { Previews } from './previews/previews';
import { RenderedPictures } from './previews/rendered-pictures';
import { DownloadController } from './archives/download.controller';
import { ContentController } from './dav/content.controller';
import { ContentReplies } from './dav/content-replies';
import { SignedInGuard } from './dav/signed-in.guard';
import { DavAccessGuard } from './dav/dav-access.guard';
import { DavErrorPresenter } from './dav/dav-error.presenter';
import { PropertiesController } from './dav/properties.controller';
import { IfConditions } from './dav/if-conditions';
import { LockedAnswers } from './dav/locked-answers';
import { LockController } from './dav/lock.controller';
import { TreeController } from './dav/tree.controller';
import { SearchController } from './dav/search.controller';
import { TreeSearch } from './dav/tree-search';
import { TokenAccess } from './dav/token-access';
import { FailureAnswers } from './dav/failure-answers';
import { BackgroundMoves } from './jobs/background-moves';
import { JobStatusController } from './jobs/job-status.controller';
import { LinkTokenAccess } from './links/link-token-access';
import { LinkPageController } from './links/link-page.controller';
import { LinkPages } from './links/link-pages';
import { LinkUploads } from './links/link-uploads';
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
import { VersionAccessGuard } from './versions/version-access.guard';
import { VersionsController } from './versions/versions.controller';
import { TrashAccessGuard } from './trash/trash-access.guard';
import { TrashContent } from './trash/trash-content';
import { TrashController } from './trash/trash.controller';
import { OpenWebappController } from './webapps/open-webapp.controller';
import { PartnerGuests } from './webapps/partner-guests';
import { WebappPageController } from './webapps/webapp-page.controller';
import { ReceivedWebapps } from './webapps/received-webapps';
import { BlobSweepSchedule } from './upkeep/blob-sweep.schedule';
import { EndedMovesSchedule } from './upkeep/ended-moves.schedule';
import { ExpiredLocksSchedule } from './upkeep/expired-locks.schedule';
import { StoredWriteMetrics } from './upkeep/stored-write-metrics';
import { CachedContentsSchedule } from './upkeep/cached-contents.schedule';
import { StoredWritesSchedule } from './upkeep/stored-writes.schedule';
import { UploadMetrics } from './upkeep/upload-metrics';
import { VolumeMetrics } from './upkeep/volume-metrics';
import { ExpiredUploadsSchedule } from './upkeep/expired-uploads.schedule';
import { UnfinishedCopiesSchedule } from './upkeep/unfinished-copies.schedule';
import { KeptFilesController } from './kept-files/kept-files.controller';
import { QuarantineController } from './quarantine/quarantine.controller';
import { QuarantineSchedule } from './upkeep/quarantine.schedule';

/** Serves files over WebDAV, for users and for visitors of links, and the pages of links. */
@Module({
  imports: [PersistenceModule, IdentityModule, SettingsModule, StorageModule],
  controllers: [
    ChunkedUploadController,
    TrashController,
    VersionsController,
    JobStatusController,
    QuarantineController,
    KeptFilesController,
    AvatarController,
    OwnAvatarController,
    TusUploadController,
    TusCreationController,
    PropertiesController,
    ContentController,
    TreeController,
    LockController,
    SearchController,
    DownloadController,
    PreviewController,
    LinkPreviewController,
    ShareInfoController,
    LinkPageController,
    PrivateLinkController,
    SavePageController,
    InvitationPageController,
    OpenWebappController,
    WebappPageController,
  ],
  providers: [
    ReceivedShareRepository,
    ReceivedWebapps,
    PartnerGuests,
    FailureAnswers,
    DavErrorPresenter,
    BackgroundMoves,
    SignedInGuard,
    DavAccessGuard,
    IfConditions,
    LockedAnswers,
    TokenAccess,
    ContentReplies,
    ArchiveReplies,
    Previews,
    RenderedPictures,
    AvatarPictures,
    AvatarPeople,
    AvatarFiles,
    AvatarRepository,
    ShareeRepository,
    TreeSearch,
    UploadAccessGuard,
    TusAccessGuard,
    TusUploads,
    NamedChunks,
    PartnerAdmission,
    PartnerTokenAccess,
    LinkAccess,
    LinkTokenAccess,
    LinkSignatures,
    LinkPages,
    LinkUploads,
    PageErrorPresenter,
    TrashAccessGuard,
    TrashContent,
    VersionAccessGuard,
    BlobSweepSchedule,
    ExpiredUploadsSchedule,
    UnfinishedCopiesSchedule,
    UploadMetrics,
    VolumeMetrics,
    UploadFiguresRepository,
    EndedMovesSchedule,
    ExpiredLocksSchedule,
    QuarantineSchedule,
    StoredWritesSchedule,
    CachedContentsSchedule,
    StoredWriteMetrics,
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
