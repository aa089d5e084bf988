import { BlobRepository, type Database } from '#persistence';
import type { Config } from '#platform';
import { settingsOn } from '#settings';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore, type BlobConfig } from './blobs/open-blob-store';
import { ReceivedShareDecisions } from './remote/received-share-decisions';
import { RemoteTree } from './remote/remote-tree';
import { RemoteWriter } from './remote/remote-writer';
import { NameRules } from './tree/name-rules';
import { NodeTree } from './tree/node-tree';
import { ReceivedShares } from './tree/received-shares';
import { TreeWriter } from './tree/tree-writer';
import { StorageCheck } from './upkeep/storage-check';

/** The files of an instance without a running app: for the command line. */
export async function storageOn(
  database: Database,
  config: BlobConfig & Pick<Config, 'COMPATIBILITY'>,
): Promise<{ tree: NodeTree; writer: TreeWriter; check: StorageCheck }> {
  const blobs = await openBlobStore(config);
  const remote = new RemoteTree(database);
  const received = new ReceivedShares(database, new ReceivedShareDecisions(database));
  const sweep = new BlobSweep(blobs, new BlobRepository(database));
  return {
    tree: new NodeTree(database, received, remote),
    writer: new TreeWriter(
      database,
      blobs,
      received,
      new RemoteWriter(database, remote),
      new NameRules(settingsOn(database, config).policy),
    ),
    check: new StorageCheck(database, sweep),
  };
}
