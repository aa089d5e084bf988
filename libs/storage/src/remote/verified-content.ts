import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { assertAnnounced, type PutOptions } from '../tree/put-content';

/**
 * Content on its way to a partner. Its last piece is held back until all of it is known to be what was announced: a
 * partner that lacks it keeps nothing.
 */
export class VerifiedContent extends Transform {
  private readonly sha1 = createHash('sha1');
  private readonly md5 = createHash('md5');
  private last: Buffer | undefined;
  size = 0;

  constructor(private readonly announced: Pick<PutOptions, 'announcedSize' | 'checksum'>) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    if (this.announced.checksum) {
      this.sha1.update(chunk);
      this.md5.update(chunk);
    }
    if (this.last) this.push(this.last);
    this.last = chunk;
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      const { size } = this;
      assertAnnounced({ size, sha1: this.sha1.digest('hex'), md5: this.md5.digest('hex') }, this.announced);
      done(null, this.last);
    } catch (error) {
      done(error as Error);
    }
  }
}
