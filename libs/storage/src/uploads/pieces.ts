import type { Readable } from 'node:stream';
import type { UploadPart } from '#persistence';
import { SENDERS_LEAVE } from '#sharing';
import { BlobMissing, type BlobStore } from '../blobs/blob-store';
import { TreeFailure } from '../tree/tree-failure';

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** Pieces in the order of the numbers in their names: `2` before `10`, and `0-9` before `10-19`. */
export function inSendersOrder<T extends { readonly name: string }>(pieces: readonly T[]): T[] {
  return [...pieces].sort((one, other) => BY_NUMBERS.compare(one.name, other.name));
}

type Piece = Pick<UploadPart, 'blobKey'>;

/** The bytes of all pieces, one after the other. @throws TreeFailure `changed-meanwhile` when one of them is gone */
export async function* joined(blobs: BlobStore, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) for await (const bytes of await open(blobs, piece)) yield bytes as Buffer;
}

async function open(blobs: BlobStore, { blobKey }: Piece): Promise<Readable> {
  try {
    return await blobs.read(blobKey, undefined, SENDERS_LEAVE);
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error;
    throw new TreeFailure('changed-meanwhile', 'A piece of the upload is gone: send the file again');
  }
}
