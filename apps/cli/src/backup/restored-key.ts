import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';
import type { CheckedBackup } from './check-backup';

/** The key of a restored instance, and what became of it. */
export interface RestoredKey {
  /** The file into which the key of the backup was put; undefined where a key was there already. */
  readonly file: string | undefined;
  /** Takes back what was done. */
  undo(): Promise<void>;
}

/**
 * Makes sure that there is a key, and that it is the one of the backup: that which is configured, else that of the
 * backup, which is put where a start looks for it.
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
    'The encryption key is not that of this backup: nothing that is sealed could be opened. Nothing was restored.',
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
