import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { BlobTooLarge } from './blob-store';

/** Counts and digests the bytes that flow through it; fails with BlobTooLarge at the first byte over `limit`. */
export class ContentMeter extends Transform {
  private readonly sha1 = createHash('sha1');
  private readonly md5 = createHash('md5');
  size = 0;

  constructor(private readonly limit: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    if (this.size > this.limit) return done(new BlobTooLarge(this.limit));
    this.sha1.update(chunk);
    this.md5.update(chunk);
    done(null, chunk);
  }

  /** The digests; asked once, after the stream has ended. */
  digests(): { sha1: string; md5: string } {
    return { sha1: this.sha1.digest('hex'), md5: this.md5.digest('hex') };
  }
}
