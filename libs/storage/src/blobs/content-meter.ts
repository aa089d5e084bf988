import { Transform, type TransformCallback } from 'node:stream';
import { BlobTooLarge } from './blob-store';
import { ContentDigests, type Digests } from './content-digests';

/** Counts and digests the bytes that flow through it; fails with BlobTooLarge at the first byte over `limit`. */
export class ContentMeter extends Transform {
  private readonly content = new ContentDigests();
  size = 0;

  constructor(private readonly limit: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    if (this.size > this.limit) return done(new BlobTooLarge(this.limit));
    this.content.update(chunk);
    done(null, chunk);
  }

  /** The digests. Call it once, after the stream has ended. */
  digests(): Digests {
    return this.content.digests();
  }
}
