import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DownloadLeave } from '#sharing';
import {
  BlobMissing,
  type BlobListing,
  type BlobPiece,
  type BlobStore,
  type ByteRange,
  type StoredBlob,
} from './blob-store';
import { ContentMeter } from './content-meter';
import { joinedContent } from './joined-content';

const KEY = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f-]{36}$/;
const INCOMING = 'incoming';

/**
 * Keeps blobs as files below one directory: `ab/cd/<uuid>`, with `incoming/` for writes under way.
 * A blob appears by rename after its bytes were synced, so a crash leaves a stale temporary file at worst.
 */
export class DiskBlobStore implements BlobStore {
  private constructor(private readonly directory: string) {}

  /** @throws when the directory cannot be made or written */
  static async open(directory: string): Promise<DiskBlobStore> {
    await mkdir(join(directory, INCOMING), { recursive: true });
    return new DiskBlobStore(directory);
  }

  async write(content: Readable, limit = Infinity): Promise<StoredBlob> {
    const blobKey = newKey();
    const temporary = join(this.directory, INCOMING, randomUUID());
    const meter = new ContentMeter(limit);
    try {
      // `flush` syncs the bytes before the stream counts as finished.
      await pipeline(content, meter, createWriteStream(temporary, { flags: 'wx', flush: true }));
      await this.makeFolderOf(blobKey);
      await rename(temporary, this.pathOf(blobKey));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(this.pathOf(blobKey)));
    return { blobKey, size: meter.size, ...meter.digests() };
  }

  async read(blobKey: string, range?: ByteRange, _leave?: DownloadLeave, size = 0): Promise<Readable> {
    const file = await open(this.pathOf(blobKey), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(blobKey) : error;
    });
    // Without an end, one more read of 64 kB finds that nothing is left.
    const end = range?.end ?? (size > 0 ? size - 1 : undefined);
    return file.createReadStream({ start: range?.start, end });
  }

  async copy(blobKey: string): Promise<string> {
    const copyKey = newKey();
    await this.makeFolderOf(copyKey);
    // Blobs never change, so both names can lead to the same bytes.
    await link(this.pathOf(blobKey), this.pathOf(copyKey)).catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(blobKey) : error;
    });
    await syncDirectory(dirname(this.pathOf(copyKey)));
    return copyKey;
  }

  /** Bytes are written again: they have to be read for the digests in any case. */
  join(pieces: readonly BlobPiece[], limit: number, leave: DownloadLeave): Promise<StoredBlob> {
    return this.write(joinedContent(this, pieces, leave), limit);
  }

  async size(blobKey: string): Promise<number> {
    const found = await stat(this.pathOf(blobKey)).catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(blobKey) : error;
    });
    return found.size;
  }

  async has(blobKey: string): Promise<boolean> {
    return access(this.pathOf(blobKey)).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
  }

  async delete(blobKey: string): Promise<void> {
    await rm(this.pathOf(blobKey), { force: true });
  }

  async *list(): AsyncIterable<BlobListing> {
    const entries = await opendir(this.directory, { recursive: true });
    for await (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const blobKey = path.slice(this.directory.length + 1);
      if (!entry.isFile() || !KEY.test(blobKey)) continue;
      // The time of the last link, not of the last byte: a copy shares its bytes with an older blob.
      const found = await stat(path).catch(() => undefined);
      if (found) yield { blobKey, storedAt: found.ctime };
    }
  }

  async removeStale(olderThanMs: number): Promise<number> {
    let removed = 0;
    const folder = join(this.directory, INCOMING);
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      const found = await stat(path).catch(() => undefined);
      if (!found || Date.now() - found.mtimeMs < olderThanMs) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  private pathOf(blobKey: string): string {
    if (!KEY.test(blobKey)) throw new Error(`'${blobKey}' is no key of this store`);
    return join(this.directory, blobKey);
  }

  private async makeFolderOf(blobKey: string): Promise<void> {
    const made = await mkdir(dirname(this.pathOf(blobKey)), { recursive: true });
    // A new folder's own name must survive as well: sync what holds it, up to the store's directory.
    if (made === undefined) return;
    await syncDirectory(dirname(dirname(this.pathOf(blobKey))));
    await syncDirectory(this.directory);
  }
}

function newKey(): string {
  const id = randomUUID();
  return `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT';
}
