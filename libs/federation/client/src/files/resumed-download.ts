import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { RemoteFailure } from '#federation/remote-files';
import type { ByteRange } from '#sharing';
import { ENDED_EARLY } from './download';

/** A connection that carried so many bytes was good: the next break counts as the first one. */
const GOOD_BYTES = 64 * 1024;

/** The rest of a content after its connection broke. */
export interface Rest {
  /** Asks the partner for a part of the same content. @throws RemoteFailure `precondition-failed` where it is another one */
  readonly ask: (range: ByteRange) => Promise<Readable>;
  /** The part that is wanted in all. */
  readonly range: ByteRange;
  /** Milliseconds before each new attempt without progress; after the last one the content fails. */
  readonly pausesMs: readonly number[];
}

/**
 * Content that goes on where it broke off: the rest is asked for by its range, as long as it is the same content.
 * @param first the content as it comes at first; it fails with RemoteFailure
 */
export function resumedDownload(first: Readable, rest: Rest): Readable {
  const reading = { isOver: false };
  const body = Readable.from(pieces(first, rest, reading), { objectMode: false });
  return body.once('close', () => {
    reading.isOver = true;
    first.destroy();
  });
}

async function* pieces(
  first: Readable,
  { ask, range, pausesMs }: Rest,
  reading: { readonly isOver: boolean },
): AsyncGenerator<Buffer> {
  let [source, at, breaks, sinceBreak]: [Readable | undefined, number, number, number] = [
    first,
    range.start,
    0,
    0,
  ];
  for (;;) {
    try {
      source ??= await ask({ start: at, end: range.end });
      for await (const piece of source as AsyncIterable<Buffer>) {
        at += piece.length;
        sinceBreak += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      breaks = sinceBreak >= GOOD_BYTES ? 0 : breaks;
      const pauseMs = pausesMs[breaks];
      if (!isBreak(error) || pauseMs === undefined || at > range.end) throw error;
      await pause(pauseMs);
      if (reading.isOver) return;
      [source, breaks, sinceBreak] = [undefined, breaks + 1, 0];
    }
  }
}

/** The partner, or the network before it, was away in the middle of the content. */
const isBreak = (error: unknown): boolean =>
  error instanceof RemoteFailure && (error.code === 'unreachable' || error.detail === ENDED_EARLY);
