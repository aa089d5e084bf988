import { Module } from '@nestjs/common';
import { Database, PersistenceModule } from '#persistence';
import { PublicAddress } from '#platform';
import { ReceivedShareAcceptance } from './remote/received-share-acceptance';
import { ReceivedShareDecisions } from './remote/received-share-decisions';
import { REMOTE_FILES, type RemoteFiles } from './remote/remote-files';
import { RemoteTree } from './remote/remote-tree';
import { ReceivedShares } from './tree/received-shares';
import { NodeTree } from './tree/node-tree';

/**
 * Reads trees and places received shares; needs no blob store, so apps that serve no content can import it. Where nobody
 * provides REMOTE_FILES, partners are not asked: what is known of their content is shown.
 */
@Module({
  imports: [PersistenceModule],
  providers: [
    {
      provide: ReceivedShareDecisions,
      inject: [Database, PublicAddress],
      useFactory: (database: Database, address: PublicAddress) =>
        new ReceivedShareDecisions(database, address),
    },
    {
      provide: ReceivedShares,
      inject: [Database, ReceivedShareDecisions],
      useFactory: (database: Database, decisions: ReceivedShareDecisions) =>
        new ReceivedShares(database, decisions),
    },
    {
      provide: ReceivedShareAcceptance,
      inject: [Database, ReceivedShares, ReceivedShareDecisions],
      useFactory: (database: Database, places: ReceivedShares, decisions: ReceivedShareDecisions) =>
        new ReceivedShareAcceptance(database, places, decisions),
    },
    {
      provide: RemoteTree,
      inject: [Database, { token: REMOTE_FILES, optional: true }],
      useFactory: (database: Database, files?: RemoteFiles) => new RemoteTree(database, files),
    },
    {
      provide: NodeTree,
      inject: [Database, ReceivedShares, RemoteTree],
      useFactory: (database: Database, received: ReceivedShares, remote: RemoteTree) =>
        new NodeTree(database, received, remote),
    },
  ],
  exports: [ReceivedShareAcceptance, ReceivedShareDecisions, ReceivedShares, RemoteTree, NodeTree],
})
export class TreeModule {}
