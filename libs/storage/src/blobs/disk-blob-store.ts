import { randomBytes, randomUUID } from 'node:crypto';
import { access, link, mkdir, open, opendir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DownloadPermit } from '#sharing';
import {
  BlobMissing,
  BlobStoreFull,
  type BlobListing,
  type BlobPiece,
  type BlobStore,
  type ByteRange,
  type StoredBlob,
} from './blob-store';
import { DirectorySyncs } from './directory-syncs';
import { DiskContent } from './disk-content';
import { HeldContent } from './held-content';
import { joinedContent } from './joined-content';
import { receive } from './received-file';
import { SendBuffers } from './send-buffers';

const KEY = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f-]{36}$/;
const INCOMING = 'incoming';
/** How folders are made. Blobs need no mode of their own: other accounts cannot reach them. */
const FOR_OWN_ACCOUNT = { recursive: true, mode: 0o700 } as const;
/** New blobs per folder: a new folder needs syncs of all folders above it. */
const PER_FOLDER = 500;
/** Contents up to this size are read at once: a stream costs five times the processor time of one read. */
const HELD_BYTES = 64 * 1024;
/**
 * Stores blobs as files below one directory: `ab/cd/<uuid>`, with `incoming/` for unfinished writes.
 * A blob gets its name after all its bytes were written, and its key is returned when bytes and name survive a loss of
 * power. So a crash of the process
 * leaves at worst a stale temporary file, and a loss of power a blob without a node.
 */
export class DiskBlobStore implements BlobStore {
  private readonly syncs = new DirectorySyncs();
  private readonly buffers = new SendBuffers();
  private filling: { readonly folder: Promise<string>; left: number } | undefined;

  private constructor(private readonly directory: string) {}

  /** @throws when the directory cannot be made or written */
  static async open(directory: string): Promise<DiskBlobStore> {
    await mkdir(join(directory, INCOMING), FOR_OWN_ACCOUNT);
    return new DiskBlobStore(directory);
  }

  async write(content: Readable, limit = Infinity): Promise<StoredBlob> {
    let path = join(this.directory, INCOMING, randomUUID());
    const file = await open(path, 'wx').catch((error: unknown) => {
      content.destroy();
      throw failureOfWrite(error);
    });
    try {
      const received = await receive(content, file, limit);
      const blobKey = await this.newKey();
      await rename(path, this.pathOf(blobKey));
      path = this.pathOf(blobKey);
      // Done after naming the file, so that a file system with a journal writes both at once.
      await file.sync();
      await this.syncs.sync(dirname(path));
      return { blobKey, ...received };
    } catch (error) {
      await rm(path, { force: true });
      throw failureOfWrite(error);
    } finally {
      await file.close();
    }
  }

  async read(blobKey: string, range?: ByteRange, _leave?: DownloadPermit, size = 0): Promise<Readable> {
    const file = await open(this.pathOf(blobKey), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(blobKey) : error;
    });
    const start = range?.start ?? 0;
    // Without an end, one more read is needed to find the end of the file.
    const end = range?.end ?? (size > 0 ? size - 1 : Infinity);
    return (
      (await readHeld(file, start, end - start + 1)) ??
      new DiskContent(file, start, end - start + 1, this.buffers)
    );
  }

  async copy(blobKey: string): Promise<string> {
    const copyKey = await this.newKey();
    try {
      // Blobs never change, so both names can refer to the same bytes.
      await link(this.pathOf(blobKey), this.pathOf(copyKey));
    } catch (error) {
      if (isMissing(error)) throw new BlobMissing(blobKey);
      if (!takesNoLink(error)) throw error;
      return (await this.write(await this.read(blobKey))).blobKey;
    }
    await this.syncs.sync(dirname(this.pathOf(copyKey)));
    return copyKey;
  }

  /** Writes the bytes again, because they have to be read for the digests in any case. */
  join(pieces: readonly BlobPiece[], limit: number, leave: DownloadPermit): Promise<StoredBlob> {
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
      // The time of the last link rather than of the last byte, because a copy shares its bytes with an older blob.
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

  /** A key in an existing folder. */
  private async newKey(): Promise<string> {
    if (!this.filling?.left) this.filling = { folder: this.makeFolder(), left: PER_FOLDER };
    const { filling } = this;
    filling.left--;
    try {
      return `${await filling.folder}/${randomUUID()}`;
    } catch (error) {
      if (this.filling === filling) this.filling = undefined;
      throw error;
    }
  }

  private async makeFolder(): Promise<string> {
    const id = randomBytes(2).toString('hex');
    const [above, folder] = [id.slice(0, 2), `${id.slice(0, 2)}/${id.slice(2)}`];
    // The name of a new folder must survive as well: all folders up to the store's directory are synced.
    if ((await mkdir(join(this.directory, folder), FOR_OWN_ACCOUNT)) !== undefined) {
      await this.syncs.sync(join(this.directory, above));
      await this.syncs.sync(this.directory);
    }
    return folder;
  }
}

/** Reads a small content and closes its file. Does nothing if the content is large or ends early. */
async function readHeld(file: FileHandle, start: number, length: number): Promise<HeldContent | undefined> {
  if (length < 1 || length > HELD_BYTES) return undefined;
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, start).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (bytesRead < length) return undefined;
  await file.close();
  return new HeldContent(bytes);
}

/** A file system has no second names for files, or no more for this one: ext4 has 65,000. */
const NO_LINK: ReadonlySet<string> = new Set(['EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

const takesNoLink = (error: unknown): boolean => NO_LINK.has((error as { code?: string }).code ?? '');

/** The disk is full, or the quota of this account on it is used up. */
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

const failureOfWrite = (error: unknown): unknown =>
  NO_SPACE.has((error as { code?: string }).code ?? '') ? new BlobStoreFull(error) : error;

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT';
}
