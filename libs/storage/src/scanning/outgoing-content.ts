import type { Readable } from 'node:stream';
import type { Database } from '#persistence';
import { SCANNER_PERMIT } from '#sharing';
import { BlobTooLarge, type BlobStore } from '../blobs/blob-store';
import type { SendContent, SentContent } from '../mounted/remote-writer';
import { discardBlobs } from '../tree/discard-blobs';
import type { NodePath } from '../tree/node-path';
import type { Place } from '../tree/place';
import { assertAnnounced, type PutOptions } from '../tree/put-content';
import { quotaExceeded, roomIn } from '../tree/room';
import type { TreeView } from '../tree/tree-view';
import { chargedStorage } from '../uploads/charged-storage';
import type { ContentScan } from './content-scan';

interface Destination {
  readonly view: TreeView;
  readonly path: NodePath;
  readonly place: Pick<Place, 'ownerUid' | 'storageId' | 'receivedShareId'>;
}

/**
 * Contents on their way to a partner. Those that have to be scanned are kept here until there is a verdict, so that no
 * partner gets the beginning of one that is refused.
 */
export class OutgoingContent {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly scans: ContentScan,
  ) {}

  /** @throws TreeFailure `quota-exceeded`, `content-mismatch`, as ContentScan.admit, and what `send` throws */
  async deliver(
    destination: Destination,
    content: Readable,
    options: PutOptions,
    send: SendContent,
  ): Promise<SentContent> {
    const { view, path, place } = destination;
    if (!(await this.scans.rulesFor(view, options))) return send(content, options);
    const storageId = await chargedStorage(this.database, view, place);
    const room = await roomIn(this.database, storageId, options.upload?.id);
    const blob = await this.blobs.write(content, Math.max(0, room.bytes)).catch((error: unknown) => {
      throw error instanceof BlobTooLarge ? quotaExceeded() : error;
    });
    try {
      assertAnnounced(blob, options);
      const ownerUid = view.kind === 'user' ? view.uid : place.ownerUid;
      await this.scans.admit({ view, path, ownerUid, storagePath: path, isAtPartner: true }, blob, options);
      const body = await this.blobs.read(blob.blobKey, undefined, SCANNER_PERMIT);
      return await send(body, { ...options, announcedSize: blob.size }).finally(() => body.destroy());
    } finally {
      await discardBlobs(this.blobs, [blob.blobKey]);
    }
  }
}
