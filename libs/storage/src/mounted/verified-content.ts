import { Transform, type TransformCallback } from 'node:stream';
import { ContentDigests } from '../blobs/content-digests';
import { assertAnnounced, type PutOptions } from '../tree/put-content';

/**
 * Content on its way to a partner. Its last piece is held back until all of it matches the announced checksum: a
 * partner without the last piece stores nothing.
 */
export class VerifiedContent extends Transform {
  private readonly content = new ContentDigests();
  private last: Buffer | undefined;
  size = 0;

  constructor(private readonly announced: Pick<PutOptions, 'announcedSize' | 'checksum'>) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    if (this.announced.checksum) this.content.update(chunk);
    if (this.last) this.push(this.last);
    this.last = chunk;
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      const { size } = this;
      assertAnnounced({ size, ...this.content.digests() }, this.announced);
      done(null, this.last);
    } catch (error) {
      done(error as Error);
    }
  }
}
