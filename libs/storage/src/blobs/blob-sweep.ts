import type { BlobRepository, StoredFile } from '#persistence';
import type { BlobStore } from './blob-store';

/** Ages below which nothing is taken for an orphan: an upload whose node is still being written is younger. */
export const SAFE_AGE_MS = 24 * 3_600_000;
const PAGE = 500;

export interface SweepReport {
  /** Contents that no node referred to, now removed. */
  readonly orphans: number;
  /** Left by writes that never ended, now removed. */
  readonly staleWrites: number;
}

/** Sets the blob store and the node tree against each other. */
export class BlobSweep {
  constructor(
    private readonly blobs: BlobStore,
    private readonly files: Pick<BlobRepository, 'referenced' | 'filesAfter' | 'versionsAfter' | 'areHeld'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Removes contents older than `olderThanMs` that no node refers to, and what writes left that never ended.
   * @param signal leaves the rest to the next time
   */
  async run(olderThanMs = SAFE_AGE_MS, signal?: AbortSignal): Promise<SweepReport> {
    let orphans = 0;
    for await (const _key of this.orphans(true, olderThanMs, signal)) orphans++;
    return { orphans, staleWrites: signal?.aborted ? 0 : await this.blobs.removeStale(olderThanMs) };
  }

  /**
   * The keys of contents older than `olderThanMs` that no node refers to; each is removed first where `remove` says so.
   * Contents that a backup may need are neither removed nor named then.
   */
  async *orphans(remove: boolean, olderThanMs = SAFE_AGE_MS, signal?: AbortSignal): AsyncIterable<string> {
    let page: string[] = [];
    for await (const blob of this.blobs.list()) {
      if (signal?.aborted) return;
      if (this.now() - blob.storedAt.getTime() < olderThanMs) continue;
      page.push(blob.blobKey);
      if (page.length < PAGE) continue;
      yield* this.orphansAmong(page, remove, signal);
      page = [];
    }
    yield* this.orphansAmong(page, remove, signal);
  }

  /** The files, and then the versions of files, whose content is gone from the store: nothing but a backup brings it back. */
  async *missingContents(): AsyncIterable<Pick<StoredFile, 'ownerUid' | 'path' | 'blobKey'>> {
    let last = 0;
    for (;;) {
      const page = await this.files.filesAfter(last, PAGE);
      for (const file of page) if (await this.isMissing(file.blobKey)) yield file;
      if (page.length < PAGE) break;
      last = page.at(-1)!.nodeId;
    }
    for (last = 0; ;) {
      const page = await this.files.versionsAfter(last, PAGE);
      for (const version of page) if (await this.isMissing(version.blobKey)) yield version;
      if (page.length < PAGE) return;
      last = page.at(-1)!.versionId;
    }
  }

  /** Looked up twice: a file that was overwritten or deleted meanwhile has not lost anything. */
  private async isMissing(blobKey: string): Promise<boolean> {
    return !(await this.blobs.has(blobKey)) && (await this.files.referenced([blobKey])).has(blobKey);
  }

  private async *orphansAmong(
    keys: readonly string[],
    remove: boolean,
    signal?: AbortSignal,
  ): AsyncIterable<string> {
    if (keys.length === 0) return;
    const referenced = await this.files.referenced(keys);
    // Asked last: see BlobRepository.
    if (remove && (await this.files.areHeld())) return;
    for (const key of keys) {
      if (signal?.aborted) return;
      if (referenced.has(key)) continue;
      if (remove) await this.blobs.delete(key);
      yield key;
    }
  }
}
