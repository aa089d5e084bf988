import type { Readable } from 'node:stream';

/** Writes the parts of a backup one after the other. */
export interface ArchiveWriter {
  /** @param size exact number of bytes of `content` */
  add(name: string, size: number, content: Readable): Promise<void>;
  /** Gives the archive its name, which is free until then. */
  finish(): Promise<void>;
  /** Removes the written parts. */
  abandon(): Promise<void>;
}

/** One part of a backup; its content must be read to its end before the next one is requested. */
export interface ArchivePart {
  readonly name: string;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** An existing backup; `parts` returns its parts in the order in which they were added, on every call. */
export interface ArchiveReader {
  parts(): AsyncIterable<ArchivePart>;
}
