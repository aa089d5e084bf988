import { Readable } from 'node:stream';
import { RemoteFailure } from '#federation/remote-files';
import { Pace, type PaceLimits } from './pace';
import { failureOfError, notUnderstood } from './remote-failures';

/** Detail of the failure when content ended before its announced length. */
export const ENDED_EARLY = 'less than was announced';

/** The part of a body that is wanted. In bytes. */
export interface Cut {
  /** Bytes to leave out at the beginning. */
  readonly skip: number;
  /** Bytes to pass on. Bytes behind the wanted range are not read. */
  readonly length: number;
  /** Whether more bytes behind it are an error. */
  readonly isAll: boolean;
}

/**
 * Content from a partner. It is read in pieces, is exactly as long as announced, and is never slower than
 * `pace` allows. Fails with RemoteFailure.
 * @param body of the guarded client, which ends it when no bytes come
 */
export function download(body: Readable, cut: Cut, hostKey: string, pace: PaceLimits): Readable {
  const content = Readable.from(pieces(body, cut, hostKey, new Pace(pace)), { objectMode: false });
  // A reader that stops does not wait for the rest of the partner's answer.
  return content.once('close', () => body.on('error', () => undefined).destroy());
}

async function* pieces(body: Readable, cut: Cut, hostKey: string, pace: Pace): AsyncGenerator<Buffer> {
  let [skip, left] = [cut.skip, cut.length];
  for await (const chunk of paced(body, hostKey, pace)) {
    const piece = chunk.subarray(skip);
    skip = Math.max(0, skip - chunk.length);
    if (piece.length > left && cut.isAll) throw notUnderstood(hostKey, 'more than was announced');
    left -= piece.length;
    if (piece.length > 0) yield left < 0 ? piece.subarray(0, left) : piece;
    if (left <= 0 && !cut.isAll) return;
  }
  if (left > 0) throw notUnderstood(hostKey, ENDED_EARLY);
}

async function* paced(body: Readable, hostKey: string, pace: Pace): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const askedAt = performance.now();
    const next = await chunks.next().catch((error: unknown) => {
      throw failureOfError(hostKey, error);
    });
    if (next.done) return;
    if (pace.isTooSlowWith(performance.now() - askedAt, next.value.length))
      throw new RemoteFailure('unreachable', hostKey, 'too slow');
    yield next.value;
  }
}
