import type { Readable } from 'node:stream';

/** A file or a folder for an archive. */
export interface ArchiveEntry {
  /** A name such as `Folder/ä.txt`: parts separated by `/`, with none at either end. */
  readonly name: string;
  readonly mtime: Date;
  /** undefined for a folder. */
  readonly content?: ArchivedContent;
}

export interface ArchivedContent {
  /** Size of `body` in bytes. */
  readonly size: number;
  readonly body: Readable;
}

/** A file was shorter or longer than announced: an archive with it would not be readable. */
class ContentCutShort extends Error {
  constructor(name: string) {
    super(`'${name}' has another size than it said`);
  }
}

/** The bytes of a file, exactly as many as announced. @throws ContentCutShort */
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
