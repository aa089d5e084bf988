import { stat } from 'node:fs/promises';
import type { Config } from '#platform';
import { blobDirectory } from '#storage';
import { CommandFailed } from './command-failed';

/**
 * Prevents contents of another account, which the gateway could not remove or even read.
 * @throws CommandFailed unless this command runs as the account that owns the instance's contents
 */
export async function assertContentsAreOurs(config: Pick<Config, 'BLOB_STORE' | 'DATA_DIR'>): Promise<void> {
  const own = process.geteuid?.();
  const directory = blobDirectory(config);
  if (directory === undefined) return;
  const owner = (await ownerOf(directory)) ?? (await ownerOf(config.DATA_DIR));
  if (own === undefined || owner === undefined || owner === own) return;
  throw new CommandFailed(
    `The contents in ${directory} belong to user id ${owner}: run this as that user, such as with 'sudo -u "#${owner}"'.`,
  );
}

async function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.uid,
    () => undefined,
  );
}
