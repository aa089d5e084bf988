import type { Readable } from 'node:stream';

/** Takes the parts of a backup one after the other. */
export interface ArchiveWriter {
  /** @param size bytes of `content`, no more and no less */
  add(name: string, size: number, content: Readable): Promise<void>;
  /** Gives it its name: until then nothing stands there. */
  finish(): Promise<void>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

/** One part of a backup; its content is read to its end before the next one is asked for. */
export interface ArchivePart {
  readonly name: string;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** A backup that is there; `parts` gives them in the order in which they were added, as often as it is asked. */
export interface ArchiveReader {
  parts(): AsyncIterable<ArchivePart>;
}
