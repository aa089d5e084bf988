import type { BlobRepository, StoredFile } from '#persistence';
import type { BlobStore } from './blob-store';

/** Minimum age of an orphan: a younger content may belong to an upload whose node is still being written. */
export const SAFE_AGE_MS = 24 * 3_600_000;
const PAGE = 500;

export interface SweepReport {
  /** Number of removed contents without a node. */
  readonly orphans: number;
  /** Number of removed remains of interrupted writes. */
  readonly staleWrites: number;
}

/** Compares the blob store with the node tree. */
export class BlobSweep {
  constructor(
    private readonly blobs: BlobStore,
    private readonly files: Pick<BlobRepository, 'referenced' | 'filesAfter' | 'versionsAfter' | 'areHeld'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Removes contents older than `olderThanMs` without a node, and remains of interrupted writes.
   * @param signal leaves the rest for the next run
   */
  async run(olderThanMs = SAFE_AGE_MS, signal?: AbortSignal): Promise<SweepReport> {
    let orphans = 0;
    for await (const _key of this.orphans(true, olderThanMs, signal)) orphans++;
    return { orphans, staleWrites: signal?.aborted ? 0 : await this.blobs.removeStale(olderThanMs) };
  }

  /**
   * The keys of contents older than `olderThanMs` without a node; `remove` removes each of them first.
   * Contents that a backup may need are neither removed nor listed.
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

  /** The files, and then the versions, whose content is missing in the store: only a backup can restore it. */
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

  /** Checked twice, because a file may have been overwritten or deleted in the meantime. */
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
    // This question has to come last: see BlobRepository.
    if (remove && (await this.files.areHeld())) return;
    for (const key of keys) {
      if (signal?.aborted) return;
      if (referenced.has(key)) continue;
      if (remove) await this.blobs.delete(key);
      yield key;
    }
  }
}
