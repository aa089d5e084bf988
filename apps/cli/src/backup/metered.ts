import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** The same bytes as a stream, with their number and digest at its end. */
export function metered(content: AsyncIterable<Buffer>): {
  readonly stream: Readable;
  /** Call it once, after the stream has ended. */
  readonly seen: () => { readonly bytes: number; readonly sha256: string };
} {
  const digest = createHash('sha256');
  let bytes = 0;
  async function* flow(): AsyncIterable<Buffer> {
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const stream = Readable.from(flow(), { objectMode: false });
  return { stream, seen: () => ({ bytes, sha256: digest.digest('hex') }) };
}
