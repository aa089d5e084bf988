import { Module } from '@nestjs/common';
import { Database, PersistenceModule } from '#persistence';
import { ReceivedShares } from './tree/received-shares';
import { NodeTree } from './tree/node-tree';

/** Reads trees and places received shares; needs no blob store, so apps that serve no content can import it. */
@Module({
  imports: [PersistenceModule],
  providers: [
    {
      provide: ReceivedShares,
      inject: [Database],
      useFactory: (database: Database) => new ReceivedShares(database),
    },
    {
      provide: NodeTree,
      inject: [Database, ReceivedShares],
      useFactory: (database: Database, received: ReceivedShares) => new NodeTree(database, received),
    },
  ],
  exports: [ReceivedShares, NodeTree],
})
export class TreeModule {}
