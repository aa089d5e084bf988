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
 * Reads trees and places received shares. It needs no blob store, so apps without content can import it. Without a
 * provider of REMOTE_FILES, partners are not asked, and the stored facts about their content are shown.
 */
@Module({
  imports: [PersistenceModule, SettingsModule],
  providers: [
    {
      provide: ReceivedShares,
      inject: [Database, CachedPolicy, PublicAddress],
      useFactory: (database: Database, policy: CachedPolicy, address: PublicAddress) =>
        new ReceivedShares(database, policy, address),
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
