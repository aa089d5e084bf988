import { Readable } from 'node:stream';

/** Content whose bytes are all in memory: a reader of streams gets them as one chunk, and a reply can be sent in one piece. */
export class HeldContent extends Readable {
  constructor(readonly bytes: Buffer) {
    super();
  }

  override _read(): void {
    this.push(this.bytes);
    this.push(null);
  }
}
