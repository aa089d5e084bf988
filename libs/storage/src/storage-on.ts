import { BlobRepository, type Database } from '#persistence';
import { createLogger, type Config } from '#platform';
import { scanQueueOf, type ScannerConfig } from '#scanning';
import { settingsOn } from '#settings';
import { BlobSweep } from './blobs/blob-sweep';
import { openBlobStore, type BlobConfig } from './blobs/open-blob-store';
import { PartnerWrites } from './mounted/partner-writes';
import { RemoteTree } from './mounted/remote-tree';
import { RemoteWriter } from './mounted/remote-writer';
import { DeletionRules } from './trash/deletion-rules';
import { ContentScan } from './scanning/content-scan';
import { Quarantine } from './scanning/quarantine';
import { ScanReports } from './scanning/scan-reports';
import { NameRules } from './tree/name-rules';
import { NodeTree } from './tree/node-tree';
import { ReceivedShares } from './tree/received-shares';
import { TreeWriter } from './tree/tree-writer';
import { TrashBin } from './trash/trash-bin';
import { FileVersions } from './versions/file-versions';
import { StorageCheck } from './upkeep/storage-check';
import { UploadCheck } from './upkeep/upload-check';

/** The files of an instance without a running app: for the command line. */
export async function storageOn(
  database: Database,
  config: BlobConfig & ScannerConfig & Pick<Config, 'COMPATIBILITY'>,
): Promise<{
  tree: NodeTree;
  writer: TreeWriter;
  check: StorageCheck;
  versions: FileVersions;
  trash: TrashBin;
  quarantine: Quarantine;
}> {
  const blobs = await openBlobStore(config);
  const remote = new RemoteTree(database);
  const { policy } = settingsOn(database, config);
  const received = new ReceivedShares(database, policy);
  const quarantine = new Quarantine(database, blobs);
  const reports = new ScanReports(database, createLogger('silent'));
  const sweep = new BlobSweep(blobs, new BlobRepository(database));
  const tree = new NodeTree(database, received, remote);
  const names = new NameRules(policy);
  const scans = new ContentScan(blobs, policy, scanQueueOf(config), reports, quarantine);
  const remoteWriter = new RemoteWriter(database, blobs, remote);
  const partners = new PartnerWrites(database, blobs, remote, remoteWriter, policy, scans);
  return {
    tree,
    versions: new FileVersions(database, blobs, received, tree),
    trash: new TrashBin(database, blobs, received, names),
    writer: new TreeWriter(
      database,
      blobs,
      received,
      remoteWriter,
      partners,
      names,
      new DeletionRules(policy),
      scans,
    ),
    quarantine,
    check: new StorageCheck(database, sweep, new UploadCheck(database, blobs)),
  };
}
