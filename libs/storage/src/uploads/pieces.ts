import { Readable } from 'node:stream';
import { UPLOAD_PERMIT } from '#sharing';
import { BlobMissing, type BlobPiece, type BlobStore, type StoredBlob } from '../blobs/blob-store';
import { joinedContent } from '../blobs/joined-content';
import { TreeFailure } from '../tree/tree-failure';

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** Parts in the order of the numbers in their names: `2` before `10`, and `0-9` before `10-19`. */
export function inSendersOrder<T extends { readonly name: string }>(pieces: readonly T[]): T[] {
  return [...pieces].sort((one, other) => BY_NUMBERS.compare(one.name, other.name));
}

/** Stored parts: the content of a file, in order. */
export class StoredPieces {
  constructor(
    private readonly blobs: BlobStore,
    private readonly pieces: readonly BlobPiece[],
  ) {}

  /** Sum of their sizes in bytes. */
  get size(): number {
    return this.pieces.reduce((sum, { size }) => sum + size, 0);
  }

  /** Stores them as one content; the parts stay. @throws BlobTooLarge; TreeFailure `changed-meanwhile` if one of them is gone */
  keep(limit: number): Promise<StoredBlob> {
    return this.blobs.join(this.pieces, limit, UPLOAD_PERMIT).catch(explain);
  }

  /** Their bytes. The stream fails in the same cases as `keep`. */
  stream(): Readable {
    return Readable.from(this.bytes(), { objectMode: false });
  }

  private async *bytes(): AsyncGenerator<Buffer> {
    try {
      yield* joinedContent(this.blobs, this.pieces, UPLOAD_PERMIT) as AsyncIterable<Buffer>;
    } catch (error) {
      explain(error);
    }
  }
}

/** Content of a file: a stream, or parts that were stored before. */
export type ContentSource = Readable | StoredPieces;

function explain(error: unknown): never {
  if (!(error instanceof BlobMissing)) throw error;
  throw new TreeFailure('changed-meanwhile', 'A piece of the upload is gone: send the file again');
}
