import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BlobTooLarge } from './blob-store';
import { ContentDigests, type Digests } from './content-digests';
import { free, hasOwnPieces } from './own-pieces';

/** Bytes that are collected for one write, because each write needs a turn of a thread. */
const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * Writes a stream to an open file, and counts and digests its bytes. The next bytes are received while earlier ones are written.
 * Pieces that nothing else refers to are freed as soon as they are written.
 * @throws BlobTooLarge at the first byte over `limit`, errors of the stream, errors of the disk
 */
export async function receive(
  content: Readable,
  file: FileHandle,
  limit: number,
): Promise<Digests & { readonly size: number }> {
  const digests = new ContentDigests();
  const isOwn = hasOwnPieces(content);
  let size = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    await writing;
    const [pieces, bytes] = [waiting, waitingBytes];
    writing = writeAll(file, pieces, bytes).then(() => (isOwn ? free(pieces) : undefined));
    // Its failure is thrown where the write is awaited.
    writing.catch(() => undefined);
    [waiting, waitingBytes] = [[], 0];
  };
  try {
    for await (const chunk of content) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      size += bytes.length;
      if (size > limit) throw new BlobTooLarge(limit);
      digests.update(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= WRITTEN_AT_ONCE) await write();
    }
    if (waitingBytes > 0) await write();
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
  return { size, ...digests.digests() };
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  // A disk that is nearly full writes only a part.
  for (
    let rest = bytesWritten < bytes ? Buffer.concat(chunks).subarray(bytesWritten) : undefined;
    rest?.length;
  )
    rest = rest.subarray((await file.write(rest)).bytesWritten);
}
