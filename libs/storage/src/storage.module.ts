import { Module } from '@nestjs/common';
import { BlobRepository, Database, NodePropertyRepository, PersistenceModule } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import type { BlobStore } from './blobs/blob-store';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore } from './blobs/open-blob-store';
import { RemoteTransfer } from './remote/remote-transfer';
import { RemoteTree } from './remote/remote-tree';
import { RemoteWriter } from './remote/remote-writer';
import { TrashBin } from './trash/trash-bin';
import { TreeModule } from './tree.module';
import { FileContents } from './tree/file-contents';
import { NameRules } from './tree/name-rules';
import { NodeTree } from './tree/node-tree';
import { ReceivedShares } from './tree/received-shares';
import { TreeCopier } from './tree/tree-copier';
import { TreeMover } from './tree/tree-mover';
import { TreeWriter } from './tree/tree-writer';
import { WholeTree } from './tree/whole-tree';
import { UnfinishedUploads } from './uploads/unfinished-uploads';
import { NodeProperties } from './webdav/node-properties';

/** Nest's token of the process's BlobStore. */
const BLOB_STORE = Symbol('blob store');

/** The node tree of users with the blob store beneath it: for apps that serve content. */
@Module({
  imports: [PersistenceModule, TreeModule],
  providers: [
    { provide: BLOB_STORE, inject: [CONFIG], useFactory: (config: Config) => openBlobStore(config) },
    {
      provide: NameRules,
      inject: [CachedPolicy],
      useFactory: (policy: CachedPolicy) => new NameRules(policy),
    },
    {
      provide: FileContents,
      inject: [BLOB_STORE, RemoteTree],
      useFactory: (blobs: BlobStore, remote: RemoteTree) => new FileContents(blobs, remote),
    },
    {
      provide: TreeWriter,
      inject: [Database, BLOB_STORE, ReceivedShares, RemoteTree, NameRules],
      useFactory: (
        database: Database,
        blobs: BlobStore,
        received: ReceivedShares,
        remote: RemoteTree,
        names: NameRules,
      ) => new TreeWriter(database, blobs, received, new RemoteWriter(database, remote), names),
    },
    {
      provide: RemoteTransfer,
      inject: [Database, RemoteTree, NodeTree, FileContents, TreeWriter],
      useFactory: (...parts: ConstructorParameters<typeof RemoteTransfer>) => new RemoteTransfer(...parts),
    },
    {
      provide: TreeMover,
      inject: [Database, BLOB_STORE, ReceivedShares, RemoteTransfer, NameRules],
      useFactory: (...parts: ConstructorParameters<typeof TreeMover>) => new TreeMover(...parts),
    },
    {
      provide: TreeCopier,
      inject: [Database, BLOB_STORE, ReceivedShares, RemoteTransfer, NameRules],
      useFactory: (...parts: ConstructorParameters<typeof TreeCopier>) => new TreeCopier(...parts),
    },
    {
      provide: TrashBin,
      inject: [Database, BLOB_STORE, ReceivedShares, NameRules],
      useFactory: (...parts: ConstructorParameters<typeof TrashBin>) => new TrashBin(...parts),
    },
    {
      provide: WholeTree,
      inject: [Database, NodeTree],
      useFactory: (database: Database, tree: NodeTree) => new WholeTree(database, tree),
    },
    {
      provide: UnfinishedUploads,
      inject: [Database, BLOB_STORE, TreeWriter],
      useFactory: (...parts: ConstructorParameters<typeof UnfinishedUploads>) =>
        new UnfinishedUploads(...parts),
    },
    {
      provide: BlobSweep,
      inject: [Database, BLOB_STORE],
      useFactory: (database: Database, blobs: BlobStore) =>
        new BlobSweep(blobs, new BlobRepository(database)),
    },
    {
      provide: NodeProperties,
      inject: [Database],
      useFactory: (database: Database) => new NodeProperties(new NodePropertyRepository(database)),
    },
  ],
  exports: [
    TreeModule,
    FileContents,
    TreeWriter,
    TreeMover,
    TreeCopier,
    TrashBin,
    WholeTree,
    BlobSweep,
    NodeProperties,
    UnfinishedUploads,
  ],
})
export class StorageModule {}
