import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

const own = new WeakSet<Readable>();

/** Says that nothing else refers to the pieces of a stream, so that their reader may free them. */
export function withOwnPieces(content: Readable): Readable {
  own.add(content);
  return content;
}

/** Whether nothing else refers to the pieces of a stream. Node.js makes each piece of a request's body for its reader. */
export const hasOwnPieces = (content: Readable): boolean =>
  content instanceof IncomingMessage || own.has(content);

/**
 * Frees the memory of pieces; afterwards they are empty. The engine would free it only at its next collection: until then, a
 * process that receives a large file grows by 40 MB.
 */
export function free(pieces: readonly Buffer[]): void {
  for (const { buffer, length } of pieces)
    // Short pieces have parts of a buffer that other pieces use too.
    if (length > 0 && buffer.byteLength === length && 'transfer' in buffer) buffer.transfer(0);
}
