import {
  BackupTimesRepository,
  BackupUnderWay,
  missingMigrations,
  withSnapshot,
  type Database,
  type DatabaseSnapshot,
} from '#persistence';
import { SecretUnreadable } from '#platform';
import { openBlobStore } from '#storage';
import { createArchive, STANDARD_OUTPUT } from '../backup/open-archive';
import type { Manifest } from '../backup/manifest';
import { reportProgress } from '../backup/progress';
import { writeBackup } from '../backup/write-backup';
import { assertContentsAreOurs } from '../blob-ownership';
import type { Command, CommandInput, Output } from '../command';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';

/** Writes a whole instance to one file or directory, with or without a running gateway. */
export const BACKUP_COMMAND: Command = {
  name: 'backup',
  arguments: ['target'],
  options: { 'without-blobs': { type: 'boolean' }, 'with-encryption-key': { type: 'boolean' } },
  optionsUsage: '[--without-blobs] [--with-encryption-key]',
  summary:
    'Writes database and contents, as they are at one moment, to a tar archive, to a directory (ends in /, or is empty), or to standard output (-). Exit code 1 when the store had lost contents.',
  anySchema: true,
  async run(input, instance) {
    await assertContentsAreOurs(instance.config);
    return instance.interruptible((signal) => backUp(input, instance, signal));
  },
};

async function backUp(input: CommandInput, instance: Instance, signal: AbortSignal): Promise<Output> {
  const target = input.arguments.target!;
  const encryptionKey = input.options['with-encryption-key'] === true ? keyToInclude(instance) : undefined;
  const database = await instance.open();
  const archive = await createArchive(target);
  try {
    const manifest = await withSnapshot(database, async (snapshot) => {
      const keyMark = await keyMarkOf(snapshot, instance);
      const blobs =
        input.options['without-blobs'] === true ? undefined : await openBlobStore(instance.config);
      const listeners = { lost: reportLost, progress: reportProgress('taken') };
      return writeBackup({ snapshot, blobs, encryptionKey, keyMark, signal, ...listeners }, archive);
    });
    await archive.finish();
    await noteMade(database, manifest);
    return outputOf(manifest, target);
  } catch (error) {
    await archive.abandon();
    if (error instanceof BackupUnderWay) throw new CommandFailed('Another backup is being made.');
    throw error;
  }
}

/** An older schema has no column for it. */
async function noteMade(database: Database, { madeAt }: Manifest): Promise<void> {
  if ((await missingMigrations(database)).length > 0) return;
  await new BackupTimesRepository(database).noteMade(new Date(madeAt));
}

function keyToInclude(instance: Instance): string {
  const { ENCRYPTION_KEY_PREVIOUS, ENCRYPTION_KEY_PREVIOUS_FILE } = instance.config;
  if (ENCRYPTION_KEY_PREVIOUS || ENCRYPTION_KEY_PREVIOUS_FILE)
    throw new CommandFailed(
      'The encryption key is being changed, and a backup holds one only: finish that first (see `drawbridge key status`).',
    );
  return instance.readKey().toString('hex');
}

/** @throws CommandFailed if the key is not that of the instance: the backup would state a wrong key */
async function keyMarkOf(snapshot: DatabaseSnapshot, instance: Instance): Promise<string | null> {
  if (!instance.hasKey) return null;
  const sealed = await snapshot.sealedLookupKey();
  try {
    if (sealed) instance.secrets.open(sealed);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new CommandFailed('The encryption key is not that of this instance: set the right one, or none.');
  }
  return instance.secrets.marks[0].toString('hex');
}

function reportLost(key: string): void {
  process.stderr.write(`the content under ${key} is lost: 'drawbridge files:check' says whose it was\n`);
}

function outputOf(manifest: Manifest, target: string): Output {
  const { blobs, tables, encryptionKey } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const contents = blobs
    ? `${blobs.count} contents of ${blobs.bytes} bytes`
    : 'no contents of files (keep a copy of the blob store with it)';
  const key =
    encryptionKey === 'included'
      ? 'The encryption key is in it: who has this backup has everything.'
      : 'The encryption key is not in it: keep that elsewhere, secrets cannot be opened without it.';
  const missing = blobs?.missing ?? 0;
  const lost = missing > 0 ? ` ${missing} contents were lost before.` : '';
  return {
    kind: 'done',
    sentence: `Backed up ${rows} rows of ${tables.length} tables and ${contents}.${lost} ${key}`,
    record: { rows, tables: tables.length, blobs, encryptionKey, schema: manifest.schema.at(-1) },
    isBad: missing > 0,
    isBeside: target === STANDARD_OUTPUT,
  };
}
