import { Readable } from 'node:stream';
import { EgressFailed } from '../egress/egress-failed';
import { Pace, type PaceLimits } from './pace';

/** In milliseconds. */
export interface UploadLimits extends PaceLimits {
  /** Until the partner accepts the next piece. */
  readonly idleMs: number;
  /** Between the last piece and the answer. */
  readonly answerMs: number;
}

const WRONG_LENGTH = 'the content is not as long as announced';

/**
 * Content on its way to a partner. Only the partner has limits: the source may be as slow as it wants. Aborts `signal`
 * with EgressFailed when the partner accepts nothing or too little, or does not answer. The source is never destroyed: its
 * owner decides about it.
 */
export class Upload {
  readonly body: Readable;
  /** Failure of the source, or of its announced length. */
  sourceFailure: unknown;
  /** Whether the source was read to its end. */
  isComplete = false;
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private isSettled = false;
  private readonly pace: Pace;

  constructor(
    private readonly source: Readable,
    private readonly host: string,
    private readonly limits: UploadLimits,
    /** Announced bytes. */
    private readonly size: number | undefined,
  ) {
    this.pace = new Pace(limits);
    this.body = Readable.from(this.pieces(), { objectMode: false });
    // Before the first piece is asked for, there may not even be a connection.
    this.expectWithin(limits.idleMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Has to be called when the answer is there, or will never come. */
  settle(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
    this.body.on('error', () => undefined).destroy();
  }

  private async *pieces(): AsyncGenerator<Buffer> {
    clearTimeout(this.timer);
    for await (const chunk of this.chunks()) {
      const offeredAt = performance.now();
      this.expectWithin(this.limits.idleMs);
      yield chunk;
      clearTimeout(this.timer);
      if (this.pace.isTooSlowWith(performance.now() - offeredAt, chunk.length)) throw this.giveUp();
    }
    this.isComplete = true;
    this.expectWithin(this.limits.answerMs);
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    let left = this.size ?? Infinity;
    try {
      for await (const chunk of this.source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        left -= chunk.length;
        if (left < 0) throw new Error(WRONG_LENGTH);
        yield chunk;
      }
      if (left > 0 && left < Infinity) throw new Error(WRONG_LENGTH);
    } catch (error) {
      this.sourceFailure = error;
      throw error;
    }
  }

  private expectWithin(ms: number): void {
    clearTimeout(this.timer);
    // A slow source may still deliver a piece that is no longer wanted.
    if (!this.isSettled) this.timer = setTimeout(() => this.giveUp(), ms);
  }

  private giveUp(): EgressFailed {
    const failure = new EgressFailed('timeout', this.host, true);
    this.controller.abort(failure);
    return failure;
  }
}
