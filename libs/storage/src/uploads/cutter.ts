import type { Readable } from 'node:stream';

/** Cuts a stream into pieces of bytes. A stream that fails ends there: the pieces before that count. */
export class Cutter {
  private readonly source: AsyncIterator<Buffer, undefined>;
  private rest: Buffer | undefined;
  private taken = 0;
  private ended = false;
  /** Why the stream ended before its end. */
  failure: unknown;
  /** Whether more came than may come. */
  isTooMuch = false;

  /** @param limit bytes that may come */
  constructor(
    content: Readable,
    private readonly limit: number,
  ) {
    this.source = content[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** The next bytes, `size` at most. */
  async *piece(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      const bytes = await this.next();
      if (!bytes) return;
      const part = bytes.length > left ? bytes.subarray(0, left) : bytes;
      if (part.length < bytes.length) this.rest = bytes.subarray(left);
      left -= part.length;
      yield part;
    }
    // Known before the next piece is begun, which would be an empty one.
    this.rest ??= await this.next();
  }

  private async next(): Promise<Buffer | undefined> {
    const kept = this.rest;
    this.rest = undefined;
    if (kept) return kept;
    const bytes = await this.read();
    if (!bytes) this.ended = true;
    else if ((this.taken += bytes.length) > this.limit) {
      this.isTooMuch = this.ended = true;
      return undefined;
    }
    return bytes;
  }

  private async read(): Promise<Buffer | undefined> {
    if (this.ended) return undefined;
    try {
      return (await this.source.next()).value;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }
}
