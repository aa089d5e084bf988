import { BlobRepository, type Database } from '#persistence';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore, type BlobConfig } from './blobs/open-blob-store';
import { ReceivedShareDecisions } from './remote/received-share-decisions';
import { RemoteTree } from './remote/remote-tree';
import { RemoteWriter } from './remote/remote-writer';
import { NodeTree } from './tree/node-tree';
import { ReceivedShares } from './tree/received-shares';
import { TreeWriter } from './tree/tree-writer';
import { StorageCheck } from './upkeep/storage-check';

/** The files of an instance without a running app: for the command line. */
export async function storageOn(
  database: Database,
  config: BlobConfig,
): Promise<{ tree: NodeTree; writer: TreeWriter; check: StorageCheck }> {
  const blobs = await openBlobStore(config);
  const remote = new RemoteTree(database);
  const received = new ReceivedShares(database, new ReceivedShareDecisions(database));
  const sweep = new BlobSweep(blobs, new BlobRepository(database));
  return {
    tree: new NodeTree(database, received, remote),
    writer: new TreeWriter(database, blobs, received, new RemoteWriter(database, remote)),
    check: new StorageCheck(database, sweep),
  };
}
