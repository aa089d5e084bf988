import { Module } from '@nestjs/common';
import { Database, PersistenceModule } from '#persistence';
import { ReceivedShares } from './tree/received-shares';

/** Places received shares; needs no blob store, so apps that serve no content can import it. */
@Module({
  imports: [PersistenceModule],
  providers: [{ provide: ReceivedShares, inject: [Database], useFactory: (database: Database) => new ReceivedShares(database) }],
  exports: [ReceivedShares],
})
export class ReceivedSharesModule {}
