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
    private readonly files: Pick<BlobRepository, 'referenced' | 'filesAfter'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Removes contents older than `olderThanMs` that no node refers to, and what writes left that never ended. */
  async run(olderThanMs = SAFE_AGE_MS): Promise<SweepReport> {
    let orphans = 0;
    let page: string[] = [];
    for await (const blob of this.blobs.list()) {
      if (this.now() - blob.storedAt.getTime() < olderThanMs) continue;
      page.push(blob.blobKey);
      if (page.length < PAGE) continue;
      orphans += await this.removeOrphans(page);
      page = [];
    }
    orphans += await this.removeOrphans(page);
    return { orphans, staleWrites: await this.blobs.removeStale(olderThanMs) };
  }

  /** The files whose content is gone from the store: nothing but a backup brings it back. */
  async *missingContents(): AsyncIterable<StoredFile> {
    let last = 0;
    for (;;) {
      const page = await this.files.filesAfter(last, PAGE);
      for (const file of page) if (!(await this.blobs.has(file.blobKey))) yield file;
      if (page.length < PAGE) return;
      last = page.at(-1)!.nodeId;
    }
  }

  private async removeOrphans(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const referenced = await this.files.referenced(keys);
    const orphans = keys.filter((key) => !referenced.has(key));
    for (const key of orphans) await this.blobs.delete(key);
    return orphans.length;
  }
}
