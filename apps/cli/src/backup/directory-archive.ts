import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailed } from '../command-failed';
import type { ArchivePart, ArchiveReader, ArchiveWriter } from './archive';
import { PART } from './manifest';
import { syncFolderOf } from './sync-folder';
import { unwritable } from '../unwritable';

const OWNER_ONLY = 0o700;
/** Names in the order of adding. */
const ORDER: readonly string[] = ['tables', 'blobs', PART.encryptionKey, PART.manifest];

/** A backup as a directory with a file for each part. */
export class DirectoryWriter implements ArchiveWriter {
  private constructor(
    private readonly draft: string,
    private readonly path: string,
  ) {}

  /** Makes a directory with a temporary name until it is complete. @throws CommandFailed unless the path is free or empty */
  static async create(path: string): Promise<DirectoryWriter> {
    const isThere = (await stat(path).catch(() => undefined)) !== undefined;
    if (isThere && (await readdir(path)).length > 0)
      throw new CommandFailed(`${path} is not empty: a backup needs a new or empty directory.`);
    const draft = `${path}.unfinished-${process.pid}`;
    await mkdir(draft, { mode: OWNER_ONLY });
    return new DirectoryWriter(draft, path);
  }

  async add(name: string, _size: number, content: Readable): Promise<void> {
    const path = join(this.draft, name);
    await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY });
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })).catch(
      (error: unknown) => {
        throw unwritable(this.path, error);
      },
    );
  }

  async finish(): Promise<void> {
    await rmdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(this.draft, this.path);
    await syncFolderOf(this.path);
  }

  async abandon(): Promise<void> {
    await rm(this.draft, { recursive: true, force: true });
  }
}

/** Reads a directory; refuses entries that are neither files nor directories. */
export class DirectoryReader implements ArchiveReader {
  constructor(private readonly path: string) {}

  async *parts(): AsyncIterable<ArchivePart> {
    const names = await readdir(this.path);
    const foreign = names.find((name) => !ORDER.includes(name));
    if (foreign !== undefined) throw new CommandFailed(`${foreign} is not part of a backup.`);
    for (const name of ORDER) if (names.includes(name)) yield* this.below(name);
  }

  /** In the order of names, which is the order of adding. */
  private async *below(name: string): AsyncIterable<ArchivePart> {
    const path = join(this.path, name);
    const found = await lstat(path);
    if (found.isFile()) {
      yield { name, size: found.size, content: createReadStream(path) as AsyncIterable<Buffer> };
      return;
    }
    if (!found.isDirectory()) throw new CommandFailed(`${name} is not part of a backup.`);
    for (const inner of (await readdir(path)).sort()) yield* this.below(`${name}/${inner}`);
  }
}
