import { UnfinishedRestore, type Database } from '#persistence';
import type { Config } from '#platform';
import { blobDirectory, type BlobStore } from '#storage';
import { CommandFailed } from '../command-failed';

/** A name for the blob store with which it can be recognised. */
export function nameOfStore(config: Config): string {
  const { BLOB_STORE: place, S3_ENDPOINT } = config;
  return place?.in === 'bucket'
    ? `s3://${place.bucket}/${place.prefix} at ${S3_ENDPOINT ?? 'amazon'}`
    : `file:${blobDirectory(config)}`;
}

/**
 * Makes sure that nothing is overwritten, and marks the database. Removes the remains of an interrupted
 * restore.
 * @param hasContents whether contents are restored, too
 * @throws CommandFailed if the place is not empty
 */
export async function claimEmptyPlace(
  database: Database,
  blobs: BlobStore,
  store: string,
  hasContents: boolean,
): Promise<UnfinishedRestore> {
  const mark = new UnfinishedRestore(database);
  if (!(await mark.isAlone()))
    throw new CommandFailed('The database is not empty: a restore needs an empty one.');
  if (hasContents) {
    if ((await mark.blobStore()) === store) await empty(blobs);
    else if (!(await isEmpty(blobs)))
      throw new CommandFailed(`${store} holds contents already: a restore needs an empty one.`);
  }
  await mark.begin(hasContents ? store : '');
  return mark;
}

async function isEmpty(blobs: BlobStore): Promise<boolean> {
  for await (const _blob of blobs.list()) return false;
  return true;
}

/** Removes all contents of a store that was empty when the restore began. */
export async function empty(blobs: BlobStore): Promise<void> {
  for await (const { blobKey } of blobs.list()) await blobs.delete(blobKey);
  await blobs.removeStale(0);
}
