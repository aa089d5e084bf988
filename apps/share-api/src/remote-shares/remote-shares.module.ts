import { Module } from '@nestjs/common';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { ReceivedShareRepository, SeenOfferRepository } from '#persistence';
import { OutboxModule } from '#queue';
import { TreeModule } from '#storage';
import { remoteShareFailure } from './remote-share-failures';
import { RemoteSharePorts, ReceivedSharesOfUsers } from './remote-share-adapters';
import { RemoteSharesController } from './remote-shares.controller';

/** Shares that users received from other servers. */
@Module({
  imports: [OcsHttpModule, OutboxModule, TreeModule],
  controllers: [RemoteSharesController],
  providers: [ReceivedShareRepository, SeenOfferRepository, ReceivedSharesOfUsers, RemoteSharePorts],
  exports: [RemoteSharePorts],
})
export class RemoteSharesModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(remoteShareFailure);
  }
}
