import { Module } from '@nestjs/common';
import { Database, PersistenceModule } from '#persistence';
import { PublicAddress } from '#platform';
import { CachedPolicy, SettingsModule } from '#settings';
import { REMOTE_FILES, type RemoteFiles } from '#federation/remote-files';
import { RemoteTree } from './mounted/remote-tree';
import { ReceivedShareAcceptance } from './tree/received-share-acceptance';
import { ReceivedShares } from './tree/received-shares';
import { NodeTree } from './tree/node-tree';

/**
 * Reads trees and places received shares; needs no blob store, so apps that serve no content can import it. Where nobody
 * provides REMOTE_FILES, partners are not asked: the cached knowledge of their content is shown.
 */
@Module({
  imports: [PersistenceModule, SettingsModule],
  providers: [
    {
      provide: ReceivedShares,
      inject: [Database, PublicAddress],
      useFactory: (database: Database, address: PublicAddress) => new ReceivedShares(database, address),
    },
    {
      provide: ReceivedShareAcceptance,
      inject: [Database, CachedPolicy, ReceivedShares],
      useFactory: (database: Database, policy: CachedPolicy, places: ReceivedShares) =>
        new ReceivedShareAcceptance(database, policy, places),
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
  exports: [ReceivedShareAcceptance, ReceivedShares, RemoteTree, NodeTree],
})
export class TreeModule {}
