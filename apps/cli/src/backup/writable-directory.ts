import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { CommandFailed } from '../command-failed';

/** @throws CommandFailed unless `path` is a directory in which this account may make files */
export async function assertWritableDirectory(path: string): Promise<void> {
  try {
    // The slash makes the system refuse a file.
    await access(`${path}/`, constants.W_OK | constants.X_OK);
  } catch {
    throw new CommandFailed(`${path} is not a directory that this account may write.`);
  }
}
