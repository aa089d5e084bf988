import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import type { DatabaseRestore } from '#persistence';
import type { BlobStore } from '#storage';
import type { ArchivePart, ArchiveReader } from './archive';
import { blobKeyOf, PART, type Manifest, type TableRecord } from './manifest';

const RENAMED_AT_ONCE = 500;

/** The places into which a backup is restored. */
export interface RestoreTarget {
  readonly restore: DatabaseRestore;
  readonly blobs: BlobStore;
  /** Called with the number of restored contents. */
  readonly progress: (blobs: number) => void;
  /** Ends the work between two parts. */
  readonly signal: AbortSignal;
}

/** Restores tables and contents from a checked backup, in constant memory. */
export async function readBackup(
  archive: ArchiveReader,
  manifest: Manifest,
  target: RestoreTarget,
): Promise<void> {
  const rows = new TableFiller(manifest.tables, target.restore);
  const blobs = new BlobFiller(target);
  for await (const part of archive.parts()) {
    target.signal.throwIfAborted();
    const blobKey = blobKeyOf(part.name);
    if (blobKey !== undefined) await blobs.take(blobKey, part);
    else if (part.name !== PART.manifest && part.name !== PART.encryptionKey) await rows.take(part);
    else await skip(part);
  }
  await blobs.flush();
}

/** Uses one COPY for each table, however many parts its rows have. */
class TableFiller {
  private readonly tables: Iterator<TableRecord, undefined>;
  private open: { readonly sink: Writable; readonly done: Promise<unknown>; partsLeft: number } | undefined;

  constructor(
    tables: readonly TableRecord[],
    private readonly restore: DatabaseRestore,
  ) {
    this.tables = tables.filter(({ parts }) => parts > 0).values();
  }

  async take({ content }: ArchivePart): Promise<void> {
    this.open ??= this.next();
    const { sink, done } = this.open;
    for await (const chunk of content)
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), done]);
    if (--this.open.partsLeft > 0) return;
    sink.end();
    await done;
    this.open = undefined;
  }

  private next() {
    const table = this.tables.next().value;
    if (!table) throw new Error('a backup that was checked has more tables than it said');
    return { ...this.restore.write(table), partsLeft: table.parts };
  }
}

/** The store chooses new keys, so that a backup of one kind of store can be restored into another. */
class BlobFiller {
  private renamed = new Map<string, string>();
  private count = 0;

  constructor(private readonly target: RestoreTarget) {}

  async take(key: string, { content }: ArchivePart): Promise<void> {
    const { blobKey } = await this.target.blobs.write(Readable.from(content, { objectMode: false }));
    this.renamed.set(key, blobKey);
    this.target.progress(++this.count);
    if (this.renamed.size === RENAMED_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.renamed.size === 0) return;
    await this.target.restore.renameBlobs(this.renamed);
    this.renamed = new Map();
  }
}

async function skip({ content }: ArchivePart): Promise<void> {
  for await (const _chunk of content);
}
