import type { Readable } from 'node:stream';
import type { ByteRange, DownloadPermit } from '#sharing';
import type { Digests } from './content-digests';

export type { ByteRange } from '#sharing';

/** The stored part of a stream. */
export interface StoredBlob extends Digests {
  /** Key from the store; at most 200 characters of `[A-Za-z0-9/_-]`. */
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
  /** The earliest time at which it may have been stored. */
  readonly storedAt: Date;
}

/** The store has no content with this key. */
export class BlobMissing extends Error {
  constructor(readonly blobKey: string) {
    super(`no content under key ${blobKey}`);
  }
}

/** The content is larger than the limit. */
export class BlobTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`more than ${limit} bytes`);
  }
}

/** The store has no room for the content. */
export class BlobStoreFull extends Error {
  /** The system's code for it, by which a command explains its failure. */
  readonly code = 'ENOSPC';

  constructor(cause: unknown) {
    super('the blob store is full', { cause });
  }
}

/**
 * Stores the content of files. Contents never change: overwriting a file makes a new blob.
 * Every store passes the contract suite in libs/testing.
 */
export interface BlobStore {
  /**
   * Stores all bytes of `content` in constant memory; when it resolves, they survive a loss of power.
   * If the stream fails, or the process dies, `list` names nothing of it.
   * @param limit maximum of bytes @throws BlobTooLarge, BlobStoreFull @throws errors of the stream
   */
  write(content: Readable, limit?: number): Promise<StoredBlob>;
  /**
   * @param leave the permit from the rule for access to the node
   * @param size bytes of the blob, if they are known: this saves a request for its size
   * @throws BlobMissing (before the first byte)
   */
  read(
    blobKey: string,
    range: ByteRange | undefined,
    leave: DownloadPermit,
    size?: number,
  ): Promise<Readable>;
  /** Stores the same bytes under a second, independent key. @throws BlobMissing */
  copy(blobKey: string, leave: DownloadPermit): Promise<string>;
  /**
   * Stores the bytes of all pieces, one after the other, under a new key; the pieces stay.
   * @param limit maximum of bytes @throws BlobTooLarge, BlobStoreFull, BlobMissing
   */
  join(pieces: readonly BlobPiece[], limit: number, leave: DownloadPermit): Promise<StoredBlob>;
  /** Number of bytes under the key. @throws BlobMissing */
  size(blobKey: string): Promise<number>;
  /** Whether there is content under the key. */
  has(blobKey: string): Promise<boolean>;
  /** Removes content; a missing key is no failure. Streams that are being read continue to their end. */
  delete(blobKey: string): Promise<void>;
  /** Every stored blob, in any order. */
  list(): AsyncIterable<BlobListing>;
  /** Removes remains of interrupted writes that are older than `olderThanMs`. @returns how many */
  removeStale(olderThanMs: number): Promise<number>;
}
