import { Readable } from 'node:stream';

/** Content with all bytes in memory: readers of the stream get one chunk, and a reply can be sent in one piece. */
export class HeldContent extends Readable {
  constructor(readonly bytes: Buffer) {
    super();
  }

  override _read(): void {
    this.push(this.bytes);
    this.push(null);
  }
}
