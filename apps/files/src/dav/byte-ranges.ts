import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ByteRange, OpenedContent } from '#storage';

/** Opens a further part of the same content. @throws if the content has changed */
export type OpenPart = (range: ByteRange) => Promise<OpenedContent>;

interface Part {
  readonly range: ByteRange;
  readonly header: Buffer;
}

/** Several parts of a file as one body, `multipart/byteranges` (RFC 9110, 14.6). Only one part is open at a time. */
export class ByteRanges {
  private readonly boundary = randomBytes(18).toString('hex');
  private readonly parts: readonly Part[];

  constructor(ranges: readonly ByteRange[], mimetype: string, size: number) {
    this.parts = ranges.map((range) => ({
      range,
      header: Buffer.from(
        `\r\n--${this.boundary}\r\nContent-Type: ${mimetype}\r\nContent-Range: bytes ${range.start}-${range.end}/${size}\r\n\r\n`,
      ),
    }));
  }

  get headers(): Record<string, string | number> {
    const content = this.parts.reduce(
      (sum, { header, range }) => sum + header.length + range.end - range.start + 1,
      0,
    );
    return {
      'content-type': `multipart/byteranges; boundary=${this.boundary}`,
      'content-length': content + this.end.length,
    };
  }

  /** @param first the first part, which is already open */
  body(first: OpenedContent, open: OpenPart): Readable {
    const body = Readable.from(this.bytes(first, open), { objectMode: false });
    // If the reader never starts, the generator does not end.
    body.once('close', () => first.body.destroy());
    return body;
  }

  private async *bytes(first: OpenedContent, open: OpenPart): AsyncGenerator<Buffer> {
    for (const [index, { range, header }] of this.parts.entries()) {
      const content = index === 0 ? first : await open(range);
      yield header;
      for await (const chunk of content.body as AsyncIterable<Buffer>) yield chunk;
    }
    yield this.end;
  }

  private get end(): Buffer {
    return Buffer.from(`\r\n--${this.boundary}--\r\n`);
  }
}
