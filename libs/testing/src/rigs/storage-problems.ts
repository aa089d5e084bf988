import { BlobRepository, type Database } from '#persistence';
import { BlobSweep, DiskBlobStore, StorageCheck, UploadCheck, type StorageProblem } from '#storage';

/** All problems that `drawbridge files:check` finds. */
export async function storageProblems(files: {
  readonly database: Database;
  readonly blobDirectory: string;
}): Promise<StorageProblem[]> {
  const { database, blobDirectory } = files;
  const blobs = await DiskBlobStore.open(blobDirectory);
  const sweep = new BlobSweep(blobs, new BlobRepository(database));
  const check = new StorageCheck(database, sweep, new UploadCheck(database, blobs));
  const problems: StorageProblem[] = [];
  for await (const problem of check.problems(false)) problems.push(problem);
  return problems;
}
