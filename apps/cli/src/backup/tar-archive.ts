import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { CommandFailed } from '../command-failed';
import type { ArchivePart, ArchiveReader, ArchiveWriter } from './archive';
import { unwritable } from '../unwritable';
import { syncFolderOf } from './sync-folder';

/** The archive contains hashes of passwords, and perhaps the key. */
const OWNER_ONLY = 0o600;

/** A backup as one tar archive. */
export class TarWriter implements ArchiveWriter {
  private readonly pack = pack();
  private readonly flow: Promise<void>;
  /** Why the archive cannot be written; parts fail with it too. */
  private failure: unknown;

  private constructor(
    target: Writable,
    private readonly files?: { readonly draft: string; readonly path: string },
  ) {
    target.once('error', (error) => (this.failure = unwritable(files?.path ?? 'Standard output', error)));
    this.flow = pipeline(Readable.from(this.pack), target);
    // The failure is thrown to the caller that adds the next part.
    this.flow.catch(() => undefined);
  }

  /** Writes an archive with a temporary name until it is complete. */
  static create(path: string): TarWriter {
    const draft = `${path}.unfinished-${process.pid}`;
    // `flush` syncs the bytes before the stream counts as finished.
    const target = createWriteStream(draft, { flags: 'wx', mode: OWNER_ONLY, flush: true });
    return new TarWriter(target, { draft, path });
  }

  /** An archive is complete only if it ends with its manifest. */
  static onto(stream: Writable): TarWriter {
    return new TarWriter(stream);
  }

  async add(name: string, size: number, content: Readable): Promise<void> {
    const entry = this.pack.entry({ name, size, mode: OWNER_ONLY });
    const broken = this.flow.then(() => {
      throw new Error('the archive was closed');
    });
    await this.named(Promise.race([pipeline(content, entry), broken]));
  }

  async finish(): Promise<void> {
    this.pack.finalize();
    await this.named(this.flow);
    if (!this.files) return;
    await rename(this.files.draft, this.files.path);
    await syncFolderOf(this.files.path);
  }

  private named<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw this.failure ?? error;
    });
  }

  async abandon(): Promise<void> {
    this.pack.destroy();
    await this.flow.catch(() => undefined);
    if (this.files) await rm(this.files.draft, { force: true });
  }
}

/** Reads a tar archive, each time from its beginning. */
export class TarReader implements ArchiveReader {
  constructor(private readonly path: string) {}

  async *parts(): AsyncIterable<ArchivePart> {
    const entries = extract();
    const flow = pipeline(createReadStream(this.path), entries);
    // The loop below throws the failure.
    flow.catch(() => undefined);
    try {
      for await (const entry of understood(entries)) {
        const { name, size, type } = entry.header;
        if (type !== 'file' || size === undefined) throw damaged(`${name} is no file`);
        yield { name, size, content: understood(entry as AsyncIterable<Buffer>) };
      }
      await flow;
    } finally {
      entries.destroy();
    }
  }
}

/**
 * Converts a failure of the archive's stream into a sentence for people; errors of the disk have a code and stay as they
 * are.
 */
async function* understood<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* stream;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? damaged(message) : error;
  }
}

const damaged = (what: string): CommandFailed =>
  new CommandFailed(`This backup is incomplete (${what}). Nothing was restored.`);
