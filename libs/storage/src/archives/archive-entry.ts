import type { Readable } from 'node:stream';

/** A file or a folder on its way into an archive. */
export interface ArchiveEntry {
  /** `Folder/ä.txt`: names with `/` between them, none at either end. */
  readonly name: string;
  readonly mtime: Date;
  /** undefined for a folder. */
  readonly content?: ArchivedContent;
}

export interface ArchivedContent {
  /** Bytes of `body`. */
  readonly size: number;
  readonly body: Readable;
}

/** A file ended before its announced size, or went on behind it: an archive of it would not be readable. */
class ContentCutShort extends Error {
  constructor(name: string) {
    super(`'${name}' has another size than it said`);
  }
}

/** The bytes of a file, as many as it announced. @throws ContentCutShort */
export async function* bytesOf(name: string, { size, body }: ArchivedContent): AsyncGenerator<Buffer> {
  let left = size;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      left -= chunk.length;
      if (left < 0) throw new ContentCutShort(name);
      yield chunk;
    }
  } finally {
    body.destroy();
  }
  if (left > 0) throw new ContentCutShort(name);
}
