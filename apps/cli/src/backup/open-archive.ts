import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailed } from '../command-failed';
import type { ArchiveReader, ArchiveWriter } from './archive';
import { DirectoryReader, DirectoryWriter } from './directory-archive';
import { TarReader, TarWriter } from './tar-archive';
import { assertWritableDirectory } from './writable-directory';

/** Stands for standard output, in place of a path. */
export const STANDARD_OUTPUT = '-';

/**
 * A new backup: a tar archive, or a directory if the path ends in a slash or names an empty one.
 * @throws CommandFailed if the path is taken, or nothing can be made there
 */
export async function createArchive(path: string): Promise<ArchiveWriter> {
  if (path === STANDARD_OUTPUT) return TarWriter.onto(process.stdout);
  await assertWritableDirectory(dirname(resolve(path)));
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() || path.endsWith('/')) return DirectoryWriter.create(resolve(path));
  if (found) throw new CommandFailed(`${path} exists already: a backup overwrites nothing.`);
  return TarWriter.create(resolve(path));
}

/** @throws CommandFailed if there is no readable backup */
export async function openArchive(path: string): Promise<ArchiveReader> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return new DirectoryReader(resolve(path));
  if (found?.isFile()) return new TarReader(resolve(path));
  throw new CommandFailed(`${path} is neither a file nor a directory that can be read.`);
}
