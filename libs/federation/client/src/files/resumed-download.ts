import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { RemoteFailure } from '#federation/remote-files';
import type { ByteRange } from '#sharing';
import { ENDED_EARLY } from './download';

/** After this many bytes a connection counts as good, and its break as the first one. */
const GOOD_BYTES = 64 * 1024;
/** After this many bytes the rest is requested without a pause, so a partner that breaks often gets one request for as much content. */
const PROMPT_BYTES = 1024 * 1024;

/** The rest of a content after its connection broke. */
export interface Rest {
  /** Asks the partner for a part of the same content. @throws RemoteFailure `precondition-failed` if the content has changed */
  readonly ask: (range: ByteRange) => Promise<Readable>;
  /** The whole range that is wanted. */
  readonly range: ByteRange;
  /** Milliseconds before each new attempt without much progress; after the last one the content fails. */
  readonly pausesMs: readonly number[];
}

/**
 * Content that continues after a broken connection: the rest is requested by its range, as long as the content is the same.
 * @param first the content of the first answer; it fails with RemoteFailure
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
      if (!isBreak(error) || at > range.end) throw error;
      breaks = sinceBreak >= GOOD_BYTES ? 0 : breaks;
      if (sinceBreak < PROMPT_BYTES) {
        const pauseMs = pausesMs[breaks++];
        if (pauseMs === undefined) throw error;
        await pause(pauseMs);
      }
      if (reading.isOver) return;
      [source, sinceBreak] = [undefined, 0];
    }
  }
}

/** Whether the partner, or the network on the way, failed in the middle of the content. */
const isBreak = (error: unknown): boolean =>
  error instanceof RemoteFailure && (error.code === 'unreachable' || error.detail === ENDED_EARLY);
