import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the name of a file survive a loss of power. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
