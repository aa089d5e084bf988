import {
  agreeOnLookupKey,
  MIGRATION_NAMES,
  RestoreUnderWay,
  SealedSecretRepository,
  UnfinishedRestore,
  withRestore,
  type DatabaseRestore,
} from '#persistence';
import { openBlobStore, type BlobStore } from '#storage';
import type { ArchiveReader } from '../backup/archive';
import { checkBackup, type CheckedBackup } from '../backup/check-backup';
import { claimEmptyPlace, empty, nameOfStore } from '../backup/empty-place';
import type { Manifest } from '../backup/manifest';
import { reportProgress } from '../backup/progress';
import { readBackup } from '../backup/read-backup';
import { openArchive } from '../backup/open-archive';
import { provideKey } from '../backup/restored-key';
import { assertContentsAreOurs } from '../blob-ownership';
import type { Command, CommandInput, Output } from '../command';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';

/** Restores an instance from a backup, into an empty database and an empty blob store. */
export const RESTORE_COMMAND: Command = {
  name: 'restore',
  arguments: ['backup'],
  options: {},
  optionsUsage: '',
  summary:
    'Checks a backup (a file or a directory) and restores it into an empty database and blob store, with the schema of this version. After an interruption no process starts; run it again.',
  anySchema: true,
  async run(input, instance) {
    return instance.interruptible((signal) => restoreInto(input, instance, signal));
  },
};

/** Numbers of restored rows and contents, and the migrations that ran. */
interface Restored {
  readonly migrated: readonly string[];
  /** Number of secrets that the key cannot open. */
  readonly unreadable: number;
}

async function restoreInto(input: CommandInput, instance: Instance, signal: AbortSignal): Promise<Output> {
  const archive = await openArchive(input.arguments.backup!);
  const backup = await checkBackup(archive);
  refuseNewer(backup.manifest);
  const key = await provideKey(backup, instance);
  try {
    const restored = await fill(archive, backup, instance, signal);
    return outputOf(backup.manifest, restored, key.file);
  } catch (error) {
    await key.undo();
    if (error instanceof RestoreUnderWay) throw new CommandFailed('Another restore fills this database.');
    throw error;
  }
}

function refuseNewer({ schema, version }: Manifest): void {
  if (schema.every((name) => MIGRATION_NAMES.includes(name))) return;
  throw new CommandFailed(
    `This backup was made of a newer schema, by version ${version}: restore it with that one.`,
  );
}

async function fill(
  archive: ArchiveReader,
  { manifest }: CheckedBackup,
  instance: Instance,
  signal: AbortSignal,
): Promise<Restored> {
  const database = await instance.open({ create: true });
  const blobs = await openBlobStore(instance.config);
  await assertContentsAreOurs(instance.config);
  const hasContents = manifest.blobs !== null;
  return withRestore(database, async (restore) => {
    const mark = await claimEmptyPlace(database, blobs, nameOfStore(instance.config), hasContents);
    try {
      await restore.makeSchema(manifest.schema);
      await readBackup(archive, manifest, { restore, blobs, signal, progress: reportProgress('restored') });
      const migrated = await restore.finish(manifest.sequences);
      const unreadable = await unreadableIn(restore, instance);
      signal.throwIfAborted();
      await new UnfinishedRestore(restore).end();
      return { migrated, unreadable };
    } catch (error) {
      if (!hasContents || (await isTakenBack(blobs))) await mark.end();
      throw error;
    }
  });
}

/** Contents that cannot be removed now are removed by the next restore, which recognises them by the mark. */
async function isTakenBack(blobs: BlobStore): Promise<boolean> {
  try {
    await empty(blobs);
    return true;
  } catch (error) {
    process.stderr.write(`contents that were restored already could not be removed: ${String(error)}\n`);
    return false;
  }
}

/** @throws ConfigError if the key is not that of the instance */
async function unreadableIn(restore: DatabaseRestore, { secrets }: Instance): Promise<number> {
  await agreeOnLookupKey(restore, secrets);
  const counts = await new SealedSecretRepository(restore, secrets).count();
  return counts.reduce((sum, { unreadable }) => sum + unreadable, 0);
}

function outputOf(
  manifest: Manifest,
  { migrated, unreadable }: Restored,
  keyFile: string | undefined,
): Output {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const sentences = [
    `Restored ${rows} rows and ${manifest.blobs?.count ?? 'no'} contents of ${manifest.madeAt}, by version ${manifest.version}.`,
    migrated.length > 0 ? `The schema was brought up to date: ${migrated.join(', ')}.` : '',
    keyFile === undefined
      ? 'The encryption key is the one that was set.'
      : `The encryption key was in the backup and is in ${keyFile} now: apps other than standalone are told by ENCRYPTION_KEY_FILE.`,
    unreadable > 0 ? `${unreadable} secrets are sealed with no known key: see 'drawbridge key status'.` : '',
    manifest.blobs === null
      ? "Contents were not in the backup: put the blob store where it was, then 'drawbridge files:check'."
      : '',
    "Next: start the gateway, which plans deliveries anew, and 'drawbridge doctor'.",
  ];
  return {
    kind: 'done',
    sentence: sentences.filter(Boolean).join('\n'),
    record: {
      rows,
      blobs: manifest.blobs?.count ?? null,
      migrated,
      unreadable,
      encryptionKey: keyFile ?? 'as it was set',
    },
    isBad: unreadable > 0,
  };
}
