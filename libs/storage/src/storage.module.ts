import { Module } from '@nestjs/common';
import {
  AccountRepository,
  BlobRepository,
  Database,
  LockRepository,
  PersistenceModule,
  StoredWriteRepository,
} from '#persistence';
import { CONFIG, LOGGER, Metrics, type Config, type Logger } from '#platform';
import { scanQueueOf } from '#scanning';
import { CachedPolicy } from '#settings';
import { ArchivedTrees } from './archives/archived-tree';
import type { BlobStore } from './blobs/blob-store';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore } from './blobs/open-blob-store';
import { NodeLocks } from './locks/node-locks';
import { RequestConditions } from './locks/request-conditions';
import { CachedContents } from './mounted/cached-contents';
import { PartnerWrites } from './mounted/partner-writes';
import { WriteDelivery } from './mounted/write-delivery';
import { RemoteTransfer } from './mounted/remote-transfer';
import { RemoteTree } from './mounted/remote-tree';
import { RemoteWriter } from './mounted/remote-writer';
import { UnfinishedCopies } from './mounted/unfinished-copies';
import { DeletionRules } from './trash/deletion-rules';
import { ContentScan } from './scanning/content-scan';
import { Quarantine } from './scanning/quarantine';
import { ScanReports } from './scanning/scan-reports';
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
import { FileVersions } from './versions/file-versions';
import { UnfinishedUploads } from './uploads/unfinished-uploads';
import { NodeProperties } from './webdav/node-properties';
import { SharingRights } from './webdav/sharing-rights';

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
      provide: DeletionRules,
      inject: [CachedPolicy],
      useFactory: (policy: CachedPolicy) => new DeletionRules(policy),
    },
    {
      provide: CachedContents,
      inject: [Database, BLOB_STORE, RemoteTree, CachedPolicy, LOGGER],
      useFactory: (...parts: ConstructorParameters<typeof CachedContents>) => new CachedContents(...parts),
    },
    {
      provide: FileContents,
      inject: [BLOB_STORE, RemoteTree, Database, CachedContents],
      useFactory: (blobs: BlobStore, remote: RemoteTree, database: Database, cached: CachedContents) =>
        new FileContents(blobs, remote, new StoredWriteRepository(database), cached),
    },
    {
      provide: ScanReports,
      inject: [Database, LOGGER, Metrics],
      useFactory: (database: Database, logger: Logger, metrics: Metrics) =>
        new ScanReports(database, logger, metrics),
    },
    {
      provide: Quarantine,
      inject: [Database, BLOB_STORE],
      useFactory: (database: Database, blobs: BlobStore) => new Quarantine(database, blobs),
    },
    {
      provide: ContentScan,
      inject: [BLOB_STORE, CachedPolicy, CONFIG, ScanReports, Quarantine],
      useFactory: (
        blobs: BlobStore,
        policy: CachedPolicy,
        config: Config,
        reports: ScanReports,
        quarantine: Quarantine,
      ) => new ContentScan(blobs, policy, scanQueueOf(config), reports, quarantine),
    },
    {
      provide: TreeWriter,
      inject: [
        Database,
        BLOB_STORE,
        ReceivedShares,
        RemoteWriter,
        PartnerWrites,
        NameRules,
        DeletionRules,
        ContentScan,
      ],
      useFactory: (...parts: ConstructorParameters<typeof TreeWriter>) => new TreeWriter(...parts),
    },
    {
      provide: RemoteWriter,
      inject: [Database, BLOB_STORE, RemoteTree],
      useFactory: (...parts: ConstructorParameters<typeof RemoteWriter>) => new RemoteWriter(...parts),
    },
    {
      provide: PartnerWrites,
      inject: [Database, BLOB_STORE, RemoteTree, RemoteWriter, CachedPolicy, ContentScan],
      useFactory: (...parts: ConstructorParameters<typeof PartnerWrites>) => new PartnerWrites(...parts),
    },
    {
      provide: WriteDelivery,
      inject: [Database, BLOB_STORE, RemoteTree, TreeWriter, CachedPolicy],
      useFactory: (...parts: ConstructorParameters<typeof WriteDelivery>) => new WriteDelivery(...parts),
    },
    {
      provide: UnfinishedCopies,
      inject: [Database, TreeWriter, RemoteTree],
      useFactory: (...parts: ConstructorParameters<typeof UnfinishedCopies>) =>
        new UnfinishedCopies(...parts),
    },
    {
      provide: RemoteTransfer,
      inject: [Database, ReceivedShares, RemoteTree, NodeTree, FileContents, TreeWriter, UnfinishedCopies],
      useFactory: (...parts: ConstructorParameters<typeof RemoteTransfer>) => new RemoteTransfer(...parts),
    },
    {
      provide: TreeMover,
      inject: [Database, BLOB_STORE, ReceivedShares, RemoteTransfer, NameRules],
      useFactory: (...parts: ConstructorParameters<typeof TreeMover>) => new TreeMover(...parts),
    },
    {
      provide: TreeCopier,
      inject: [Database, BLOB_STORE, ReceivedShares, RemoteTransfer, NameRules, TreeMover],
      useFactory: (...parts: ConstructorParameters<typeof TreeCopier>) => new TreeCopier(...parts),
    },
    {
      provide: TrashBin,
      inject: [Database, BLOB_STORE, ReceivedShares, NameRules],
      useFactory: (...parts: ConstructorParameters<typeof TrashBin>) => new TrashBin(...parts),
    },
    {
      provide: FileVersions,
      inject: [Database, BLOB_STORE, ReceivedShares, NodeTree],
      useFactory: (...parts: ConstructorParameters<typeof FileVersions>) => new FileVersions(...parts),
    },
    {
      provide: WholeTree,
      inject: [Database, NodeTree],
      useFactory: (database: Database, tree: NodeTree) => new WholeTree(database, tree),
    },
    {
      provide: ArchivedTrees,
      inject: [NodeTree, FileContents],
      useFactory: (tree: NodeTree, contents: FileContents) => new ArchivedTrees(tree, contents),
    },
    {
      provide: UnfinishedUploads,
      inject: [Database, BLOB_STORE, TreeWriter],
      useFactory: (...parts: ConstructorParameters<typeof UnfinishedUploads>) =>
        new UnfinishedUploads(...parts),
    },
    {
      provide: NodeLocks,
      inject: [Database, ReceivedShares, NodeTree, TreeWriter],
      useFactory: (...parts: ConstructorParameters<typeof NodeLocks>) => new NodeLocks(...parts),
    },
    {
      provide: RequestConditions,
      inject: [Database, ReceivedShares],
      useFactory: (...parts: ConstructorParameters<typeof RequestConditions>) =>
        new RequestConditions(...parts),
    },
    {
      provide: BlobSweep,
      inject: [Database, BLOB_STORE],
      useFactory: (database: Database, blobs: BlobStore) =>
        new BlobSweep(blobs, new BlobRepository(database)),
    },
    {
      provide: NodeProperties,
      inject: [Database, CachedPolicy],
      useFactory: (database: Database, policy: CachedPolicy) =>
        new NodeProperties(
          database,
          new LockRepository(database),
          new SharingRights(policy, new AccountRepository(database)),
        ),
    },
  ],
  exports: [
    TreeModule,
    FileContents,
    TreeWriter,
    TreeMover,
    TreeCopier,
    TrashBin,
    FileVersions,
    WholeTree,
    ArchivedTrees,
    BlobSweep,
    NodeProperties,
    UnfinishedCopies,
    UnfinishedUploads,
    NodeLocks,
    RequestConditions,
    Quarantine,
    WriteDelivery,
    CachedContents,
  ],
})
export class StorageModule {}
