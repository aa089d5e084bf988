import type { Readable } from 'node:stream';

/** Cuts a stream into pieces. If the stream fails, it ends there: the earlier pieces are valid. */
export class Cutter {
  private readonly source: AsyncIterator<Buffer, undefined>;
  private rest: Buffer | undefined;
  private taken = 0;
  private ended = false;
  /** Reason why the stream ended early. */
  failure: unknown;
  /** Whether more bytes came than allowed. */
  isTooMuch = false;

  /** @param limit maximum of bytes */
  constructor(
    content: Readable,
    private readonly limit: number,
  ) {
    this.source = content[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** The next bytes, at most `size`. */
  async *piece(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      const bytes = await this.next();
      if (!bytes) return;
      const part = bytes.length > left ? bytes.subarray(0, left) : bytes;
      if (part.length < bytes.length) this.rest = bytes.subarray(left);
      left -= part.length;
      yield part;
    }
    // Read ahead, because the next piece must not be empty.
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
