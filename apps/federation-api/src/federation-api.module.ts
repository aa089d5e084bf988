import { Module, type OnModuleInit } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import {
  InboxRepository,
  OutboxRepository,
  PeerRepository,
  PersistenceModule,
  ReceivedShareRepository,
} from '#persistence';
import { ErrorPresenters } from '#platform';
import { Admission } from './admission';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryDocuments } from './discovery/discovery-documents';
import { LegacyAnswers } from './legacy/legacy-answers';
import { LegacySharesController } from './legacy/legacy-shares.controller';
import { BoundShares } from './notices/bound-shares';
import { GrantReshare } from './notices/grant-reshare';
import { NoticesOfOurs } from './notices/notices-of-ours';
import { NoticesOfReceived } from './notices/notices-of-received';
import { TakeNotice } from './notices/take-notice';
import { OcmController } from './ocm/ocm.controller';
import { OcmErrorPresenter } from './ocm/ocm-error.presenter';
import { TakeOffer } from './offers/take-offer';

/** What servers of partners call: discovery, offers of shares, notices about shares. */
@Module({
  imports: [PersistenceModule, OcsHttpModule],
  controllers: [DiscoveryController, OcmController, LegacySharesController],
  providers: [
    PeerRepository,
    InboxRepository,
    OutboxRepository,
    ReceivedShareRepository,
    Admission,
    DiscoveryDocuments,
    LegacyAnswers,
    BoundShares,
    GrantReshare,
    NoticesOfOurs,
    NoticesOfReceived,
    TakeNotice,
    TakeOffer,
    OcmErrorPresenter,
  ],
})
export class FederationApiModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly ocmErrors: OcmErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.ocmErrors);
  }
}
