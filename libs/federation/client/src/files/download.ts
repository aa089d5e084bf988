import { Readable } from 'node:stream';
import { RemoteFailure } from '#federation/remote-files';
import { Pace, type PaceLimits } from './pace';
import { failureOfError, notUnderstood } from './remote-failures';

/** Detail of the failure of a content that ended as if it were whole. */
export const ENDED_EARLY = 'less than was announced';

/** Which part of a body is the content. Bytes. */
export interface Cut {
  /** To leave out at the beginning. */
  readonly skip: number;
  /** To hand on; bytes behind the wanted range are not read. */
  readonly length: number;
  /** Whether nothing may come behind it. */
  readonly isAll: boolean;
}

/**
 * Content as it comes from a partner: piece by piece as it is read, exactly as long as announced, never slower than
 * `pace` allows. Fails with RemoteFailure.
 * @param body of the guarded client, which ends it when nothing moves
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
