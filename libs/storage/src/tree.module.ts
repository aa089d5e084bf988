import { Module } from '@nestjs/common';
import { Database, PersistenceModule } from '#persistence';
import { ReceivedShares } from './tree/received-shares';
import { UserTree } from './tree/user-tree';

/** Reads users' trees and places received shares; needs no blob store, so apps that serve no content can import it. */
@Module({
  imports: [PersistenceModule],
  providers: [
    {
      provide: ReceivedShares,
      inject: [Database],
      useFactory: (database: Database) => new ReceivedShares(database),
    },
    {
      provide: UserTree,
      inject: [Database, ReceivedShares],
      useFactory: (database: Database, received: ReceivedShares) => new UserTree(database, received),
    },
  ],
  exports: [ReceivedShares, UserTree],
})
export class TreeModule {}
