import { Module } from '@nestjs/common';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import {
  ContactRepository,
  PeerRepository,
  PersistenceModule,
  SentShareRequestRepository,
} from '#persistence';
import { OutboxModule } from '#queue';
import { shareRequestFailure } from './share-request-refused';
import { ShareRequests } from './share-requests';
import { ShareRequestsController } from './share-requests.controller';

/** Requests of users for shares of contacts at other servers. */
@Module({
  imports: [OcsHttpModule, PersistenceModule, OutboxModule],
  controllers: [ShareRequestsController],
  providers: [ContactRepository, PeerRepository, SentShareRequestRepository, ShareRequests],
})
export class ShareRequestsModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(shareRequestFailure);
  }
}
