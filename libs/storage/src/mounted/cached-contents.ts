import { PassThrough, type Readable } from 'node:stream';
import { RemoteFailure, type ContactResult, type RemoteContent } from '#federation/remote-files';
import {
  CachedContentRepository,
  type CachedContent,
  type Database,
  type MountedShareRow,
} from '#persistence';
import type { Logger } from '#platform';
import type { ByteRange, DownloadPermit, PolicySource } from '#sharing';
import { BlobMissing, type BlobStore } from '../blobs/blob-store';
import { discardBlobs, discardOrphans } from '../tree/discard-blobs';
import type { NodePath } from '../tree/node-path';
import { teedContent } from './teed-content';
import type { RemoteTree } from './remote-tree';

const REMOVED_TOGETHER = 1000;

/** Place of a file of a partner. */
export interface RemoteFilePlace {
  readonly nodeId: number;
  readonly path: NodePath;
  /** ETags of the partner for this content, as in listings. */
  readonly shown: readonly (string | null)[];
}

/** Content of a partner's file, from the partner or from the cache. */
export interface ReadContent extends RemoteContent {
  /** Time at which the partner last confirmed it; absent if it did so now. */
  readonly staleSince?: Date;
}

/**
 * Keeps contents of partners' files in the blob store while they are read as a whole. The next read needs only one
 * request with a condition. While the partner is unreachable they are shown if a setting allows it, as long as listings
 * show the same ETag.
 */
export class CachedContents {
  /** Bytes that this process is writing into the store, by node. */
  private readonly underWay = new Map<number, number>();
  private readonly contents: CachedContentRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly remote: RemoteTree,
    private readonly policy: PolicySource,
    private readonly logger: Logger,
  ) {
    this.contents = new CachedContentRepository(database);
  }

  /** @param leave from the rule for access to the node @throws RemoteFailure, TreeFailure `unavailable` */
  async read(
    share: MountedShareRow,
    place: RemoteFilePlace,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<ReadContent> {
    const { bytes, servesWhileAway } = (await this.policy.current()).partnerCache;
    const kept = bytes > 0 ? await this.contents.find(place.nodeId) : undefined;
    if (!kept) return this.keeping(place, await this.remote.partners.read(share, place.path, range, leave));
    try {
      const { nodeId, path } = place;
      const answer = await this.remote.partners.readIfChanged(share, path, kept.etag, range, leave);
      if (answer !== 'unchanged') return await this.keeping(place, answer);
      await this.contents.noteCheck(nodeId);
      return await this.open(kept, range, leave);
    } catch (error) {
      if (error instanceof BlobMissing) {
        await this.contents.remove(place.nodeId, kept.blobKey);
        return this.keeping(place, await this.remote.partners.read(share, place.path, range, leave));
      }
      if (!servesWhileAway || !isAway(error) || !place.shown.includes(kept.etag)) throw error;
      const content = await this.open(kept, range, leave).catch(() => undefined);
      if (!content) throw error;
      return { ...content, staleSince: kept.checkedAt };
    }
  }

  /**
   * Removes contents of deleted files, and the oldest ones above the limits of the settings.
   * @returns the number of them
   */
  async removeSurplus(): Promise<number> {
    const { bytes } = (await this.policy.current()).partnerCache;
    const keys = await this.contents.removeSurplus(bytes, REMOVED_TOGETHER);
    await discardOrphans(this.database, this.blobs, keys);
    return keys.length;
  }

  /** Number and bytes of all contents that are kept. */
  figures(): Promise<{ readonly contents: number; readonly bytes: number }> {
    return this.contents.figures();
  }

  private async open(
    { etag, size, mtime, blobKey }: CachedContent,
    asked: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent> {
    // The range may come from a listing that is older than the content.
    const range = asked && { start: Math.min(asked.start, size), end: Math.min(asked.end, size - 1) };
    if (range && range.start > range.end) throw new BlobMissing(blobKey);
    return { body: await this.blobs.read(blobKey, range, leave, size), size, range, etag, mtime };
  }

  /** The same content; a copy is kept while it is read. */
  private async keeping({ nodeId }: RemoteFilePlace, content: RemoteContent): Promise<RemoteContent> {
    const { fileBytes } = (await this.policy.current()).partnerCache;
    const { etag, range, size, mtime } = content;
    if (etag === null || content.mayChangeUnseen || range || this.underWay.has(nodeId)) return content;
    // Readers may be slow, so unfinished copies together may not use more space than one file may.
    const written = [...this.underWay.values()].reduce((sum, bytes) => sum + bytes, size);
    if (written > fileBytes) return content;
    const copy = new PassThrough();
    copy.on('error', () => undefined);
    this.underWay.set(nodeId, size);
    void this.keep(nodeId, { etag, size, mtime }, copy).finally(() => this.underWay.delete(nodeId));
    return { ...content, body: teedContent(content.body, copy) };
  }

  /** Stores the copy. If it ends early or cannot be stored, the next reader gets the content from the partner. */
  private async keep(
    nodeId: number,
    content: Omit<CachedContent, 'blobKey' | 'checkedAt'>,
    copy: Readable,
  ): Promise<void> {
    try {
      const { blobKey, size } = await this.blobs.write(copy, content.size);
      if (size !== content.size) return await discardBlobs(this.blobs, [blobKey]);
      await discardOrphans(
        this.database,
        this.blobs,
        await this.contents.keep({ ...content, nodeId, blobKey }),
      );
    } catch (error) {
      const isBrokenOff = copy.errored !== null;
      copy.destroy();
      if (isBrokenOff) return;
      this.logger.warn(
        { subsystem: 'cached-contents', err: error },
        'a content of a partner could not be kept for its next reader',
      );
    }
  }
}

const AWAY: ReadonlySet<ContactResult> = new Set<ContactResult>(['away', 'gap', 'silent']);

/** Whether the partner gave no answer, or is not called at the moment. */
const isAway = (error: unknown): boolean =>
  error instanceof RemoteFailure && (error.code === 'barred' || AWAY.has(error.contact));
