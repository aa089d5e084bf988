import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';
import type { CheckedBackup } from './check-backup';

/** The key of a restored instance, and where it was stored. */
export interface RestoredKey {
  /** The file with the key from the backup; undefined if there already was a key. */
  readonly file: string | undefined;
  /** Removes the stored key again. */
  undo(): Promise<void>;
}

/**
 * Makes sure that there is a key, and that it matches the backup: the configured key, otherwise that of the
 * backup, which is stored where a start finds it.
 * @throws CommandFailed
 */
export async function provideKey(
  { manifest, encryptionKey }: CheckedBackup,
  instance: Instance,
): Promise<RestoredKey> {
  const file = instance.hasKey ? undefined : await keep(encryptionKey, instance.ownKeyFile);
  const undo = async (): Promise<void> => {
    if (file !== undefined) await rm(file, { force: true });
  };
  const marks = instance.secrets.marks.map((mark) => mark.toString('hex'));
  if (manifest.keyMark === null || marks.includes(manifest.keyMark)) return { file, undo };
  await undo();
  throw new CommandFailed(
    'The encryption key is not that of this backup, so its secrets could not be decrypted. Nothing was restored.',
  );
}

async function keep(encryptionKey: string | undefined, file: string): Promise<string> {
  if (encryptionKey === undefined)
    throw new CommandFailed(
      'The encryption key is not in this backup: set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE to the one the instance had.',
    );
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${encryptionKey}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return file;
}
