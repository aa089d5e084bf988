import type { Readable } from 'node:stream';
import type { ByteRange, DownloadPermit } from '#sharing';
import type { Digests } from './content-digests';

export type { ByteRange } from '#sharing';

/** The part of a stream that a store has kept. */
export interface StoredBlob extends Digests {
  /** Chosen by the store; at most 200 characters of `[A-Za-z0-9/_-]`. */
  readonly blobKey: string;
  /** Bytes. */
  readonly size: number;
}

/** A blob that becomes a part of another one. */
export interface BlobPiece {
  readonly blobKey: string;
  /** Bytes. */
  readonly size: number;
}

export interface BlobListing {
  readonly blobKey: string;
  /** Since when it has been there, at the earliest. */
  readonly storedAt: Date;
}

/** No content is kept under this key. */
export class BlobMissing extends Error {
  constructor(readonly blobKey: string) {
    super(`no content under key ${blobKey}`);
  }
}

/** More bytes came than may be kept. */
export class BlobTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`more than ${limit} bytes`);
  }
}

/**
 * Keeps the content of files, immutable once written: overwriting a file makes a new blob.
 * Every store passes the contract suite in libs/testing.
 */
export interface BlobStore {
  /**
   * Keeps all bytes of `content` in constant memory; when it resolves they survive a loss of power.
   * When the stream fails, or a process dies on the way, nothing is left that `list` would name.
   * @param limit bytes at most @throws BlobTooLarge @throws what the stream fails with
   */
  write(content: Readable, limit?: number): Promise<StoredBlob>;
  /**
   * @param leave from the rule for access to the node
   * @param size bytes of the blob, where they are known: readers do not ask for its end then
   * @throws BlobMissing (before the first byte)
   */
  read(
    blobKey: string,
    range: ByteRange | undefined,
    leave: DownloadPermit,
    size?: number,
  ): Promise<Readable>;
  /** Keeps the same bytes under a second key, which lives and dies on its own. @throws BlobMissing */
  copy(blobKey: string, leave: DownloadPermit): Promise<string>;
  /**
   * Keeps the bytes of all pieces, one after the other, under a key of their own; the pieces stay.
   * @param limit bytes at most @throws BlobTooLarge, BlobMissing
   */
  join(pieces: readonly BlobPiece[], limit: number, leave: DownloadPermit): Promise<StoredBlob>;
  /** Bytes that are kept under the key. @throws BlobMissing */
  size(blobKey: string): Promise<number>;
  /** Whether content is kept under the key. */
  has(blobKey: string): Promise<boolean>;
  /** Removes content; a key that is not there is no failure. Streams being read go on to their end. */
  delete(blobKey: string): Promise<void>;
  /** Every kept blob, in no order. */
  list(): AsyncIterable<BlobListing>;
  /** Removes what writes that never ended have left behind for longer than `olderThanMs`; returns how many. */
  removeStale(olderThanMs: number): Promise<number>;
}
