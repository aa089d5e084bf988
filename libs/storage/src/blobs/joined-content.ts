import { Readable } from 'node:stream';
import type { DownloadPermit } from '#sharing';
import type { BlobPiece, BlobStore } from './blob-store';
import { withOwnPieces } from './own-pieces';

/** The bytes of all pieces, one after the other. The stream fails with BlobMissing if one of them is gone. */
export function joinedContent(
  blobs: Pick<BlobStore, 'read'>,
  pieces: readonly BlobPiece[],
  leave: DownloadPermit,
): Readable {
  return withOwnPieces(Readable.from(bytesOf(blobs, pieces, leave), { objectMode: false }));
}

async function* bytesOf(
  blobs: Pick<BlobStore, 'read'>,
  pieces: readonly BlobPiece[],
  leave: DownloadPermit,
): AsyncGenerator<Buffer> {
  for (const { blobKey } of pieces)
    for await (const bytes of await blobs.read(blobKey, undefined, leave)) yield bytes as Buffer;
}
