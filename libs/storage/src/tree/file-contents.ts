import type { Readable } from 'node:stream';
import type { StoredWriteRepository } from '#persistence';
import type { DownloadPermit } from '#sharing';
import type { BlobStore, ByteRange } from '../blobs/blob-store';
import { RemoteFailure } from '#federation/remote-files';
import type { CachedContents } from '../mounted/cached-contents';
import type { RemoteTree } from '../mounted/remote-tree';
import { admitDownload } from './admission';
import type { NodePath } from './node-path';
import { TreeFailure } from './tree-failure';
import type { VisibleNode } from './visible-node';

/** Content that is being read. Its facts are those of the bytes, which at a partner may be newer than the node. */
export interface OpenedContent {
  /** Has to be read to its end or destroyed; fails if it ends early. */
  readonly body: Readable;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The part that is sent; undefined for the whole file. */
  readonly range: ByteRange | undefined;
  /** Without quotes. */
  readonly etag: string;
  readonly mtime: Date;
  /** Content of a partner that is away: time at which the partner last said that it is current. */
  readonly staleSince?: Date;
}

/** Reads the content of files. */
export class FileContents {
  constructor(
    private readonly blobs: BlobStore,
    private readonly remote: RemoteTree,
    private readonly writes: StoredWriteRepository,
    private readonly cached: CachedContents,
  ) {}

  /**
   * The content of a file.
   * @throws TreeFailure `is-folder`, `not-found` if the user may not read, `view-only`, `unavailable` and others for files at
   * a partner
   * @throws BlobMissing if the store lost it, or it was overwritten since the node was read
   */
  async open(node: VisibleNode, range?: ByteRange): Promise<OpenedContent> {
    const { row } = node;
    if (row.kind === 'folder') throw new TreeFailure('is-folder', 'A folder has no content');
    const leave = admitDownload(node);
    if (row.receivedShareId !== null) return this.openRemote(node, row.receivedShareId, range, leave);
    const body = await this.blobs.read(row.blobKey!, range, leave, row.size);
    return { body, size: row.size, range, etag: node.etag, mtime: row.mtime };
  }

  private async openRemote(
    { row, etag }: VisibleNode,
    receivedShareId: number,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<OpenedContent> {
    const shown = await this.writes.ofNode(row.id);
    if (shown && shown.blobKey !== null) {
      const body = await this.blobs.read(shown.blobKey, range, leave, row.size);
      return { body, size: row.size, range, etag, mtime: row.mtime };
    }
    const share = await this.remote.share(receivedShareId);
    try {
      const place = {
        nodeId: row.id,
        path: row.path as NodePath,
        shown: [etag, shown?.partnerEtag ?? null],
      };
      const content = await this.cached.read(share, place, range, leave);
      // It may fail before its reader listens. The reader then finds it destroyed.
      content.body.on('error', () => undefined);
      // A file that was delivered from here keeps its etag.
      const isAsShown = content.etag === null || content.etag === shown?.partnerEtag;
      return {
        ...content,
        etag: isAsShown ? etag : content.etag,
        mtime: content.mtime ?? row.mtime,
      };
    } catch (error) {
      throw error instanceof RemoteFailure ? await this.remote.refusal(share, error) : error;
    }
  }
}
