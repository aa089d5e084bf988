import { Module } from '@nestjs/common';
import { BlobRepository, Database, NodePropertyRepository, PersistenceModule } from '#persistence';
import { CONFIG, type Config } from '#platform';
import type { BlobStore } from './blobs/blob-store';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore } from './blobs/open-blob-store';
import { ReceivedSharesModule } from './received-shares.module';
import { ReceivedShares } from './tree/received-shares';
import { TreeCopier } from './tree/tree-copier';
import { TreeMover } from './tree/tree-mover';
import { TreeWriter } from './tree/tree-writer';
import { NodeProperties } from './webdav/node-properties';
import { UserTree } from './tree/user-tree';

/** Nest's token of the process's BlobStore. */
export const BLOB_STORE = Symbol('blob store');

const TREE = [Database, BLOB_STORE, ReceivedShares];

/** The node tree of users and the blob store beneath it. */
@Module({
  imports: [PersistenceModule, ReceivedSharesModule],
  providers: [
    { provide: BLOB_STORE, inject: [CONFIG], useFactory: (config: Config) => openBlobStore(config) },
    ...[UserTree, TreeWriter, TreeMover, TreeCopier].map((Part) => ({
      provide: Part,
      inject: TREE,
      useFactory: (database: Database, blobs: BlobStore, received: ReceivedShares) => new Part(database, blobs, received),
    })),
    {
      provide: BlobSweep,
      inject: [Database, BLOB_STORE],
      useFactory: (database: Database, blobs: BlobStore) => new BlobSweep(blobs, new BlobRepository(database)),
    },
    {
      provide: NodeProperties,
      inject: [Database],
      useFactory: (database: Database) => new NodeProperties(new NodePropertyRepository(database)),
    },
  ],
  exports: [ReceivedSharesModule, UserTree, TreeWriter, TreeMover, TreeCopier, BlobSweep, NodeProperties],
})
export class StorageModule {}
