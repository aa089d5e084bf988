import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BackupTimesRepository } from '#persistence';
import type { Config } from '#platform';
import { storageOn } from '#storage';
import { checkBackup } from '../backup/check-backup';
import type { Manifest } from '../backup/manifest';
import { openArchive } from '../backup/open-archive';
import { assertWritableDirectory } from '../backup/writable-directory';
import { textOption, type Command, type CommandInput, type Output } from '../command';
import { CommandFailed } from '../command-failed';
import { Instance } from '../instance';
import { RESTORE_COMMAND } from './restore';

/** Restores a backup of this instance next to it, checks the result, and removes it again. */
export const BACKUP_REHEARSE_COMMAND: Command = {
  name: 'backup:rehearse',
  arguments: ['backup'],
  options: { scratch: { type: 'string' } },
  optionsUsage: '[--scratch DIRECTORY]',
  summary:
    'Restores a backup of this instance into an embedded PostgreSQL of its own, below a directory with room for it (--scratch, else that for temporary files), compares contents with files, removes all of it, and notes that this backup can be restored.',
  async run(input, instance) {
    const room = resolve(textOption(input, 'scratch') ?? tmpdir());
    await assertWritableDirectory(room);
    const scratch = await mkdtemp(join(room, 'drawbridge-rehearsal-'));
    try {
      return await instance.interruptible((signal) => rehearse(input, instance, scratch, signal));
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

async function rehearse(
  input: CommandInput,
  instance: Instance,
  scratch: string,
  signal: AbortSignal,
): Promise<Output> {
  const live = new BackupTimesRepository(await instance.open());
  const { instanceId } = await live.read();
  const { manifest } = await checkBackup(await openArchive(input.arguments.backup!));
  const copy = new Instance(configOfCopy(instance, join(scratch, 'data')), true);
  const interrupt = () => void copy.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const restored = await RESTORE_COMMAND.run({ ...input, options: {} }, copy);
    const problems = await problemsOf(copy, instanceId, manifest);
    if (restored.kind === 'done' && restored.isBad) problems.push('secrets that its key does not open');
    if (problems.length > 0)
      throw new CommandFailed(`This backup cannot be relied on: ${problems.join('; ')}.`);
  } finally {
    signal.removeEventListener('abort', interrupt);
    await copy.close();
  }
  await live.noteRehearsed(new Date(manifest.madeAt));
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    kind: 'done',
    sentence: `Restored ${rows} rows and ${manifest.blobs?.count ?? 'no'} contents of ${manifest.madeAt}, found them whole, and removed them again.`,
    record: { rows, blobs: manifest.blobs?.count ?? null, madeAt: manifest.madeAt },
  };
}

/** The copy has its own database and contents, and the key of the instance. */
function configOfCopy(instance: Instance, directory: string): Config {
  const { DATABASE_URL: _live, BLOB_STORE: _contents, ...rest } = instance.config;
  const ownKey =
    instance.isKeyConfigured || !instance.hasKey ? {} : { ENCRYPTION_KEY_FILE: instance.ownKeyFile };
  return { ...rest, ...ownKey, DATABASE_URL: undefined, BLOB_STORE: undefined, DATA_DIR: directory };
}

/** Problems of the restored copy, as sentences. */
async function problemsOf(copy: Instance, instanceId: string, { blobs }: Manifest): Promise<string[]> {
  const database = await copy.open();
  const problems: string[] = [];
  if ((await new BackupTimesRepository(database).read()).instanceId !== instanceId)
    problems.push('it is of another instance');
  if (blobs === null) return problems;
  const { check } = await storageOn(database, copy.config);
  for await (const { kind, subject } of check.problems(false))
    problems.push(`${kind} ${JSON.stringify(subject)}`);
  return problems;
}
