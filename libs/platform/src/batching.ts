import { setTimeout as pause } from 'node:timers/promises';
import { withoutOrigin } from './tracing/origin';

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/** Minimum time between calls: under load each call then does more. */
const BREATH_MS = 10;

/**
 * Does many small pieces of work with one call: pieces that come during a call, or just after it, go into
 * the next one. A single piece does not wait.
 */
export class Batching<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private underWay = false;

  /** @param work gets up to `atMost` items and returns their results in the same order */
  constructor(
    private readonly work: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly atMost: number,
  ) {}

  /** Resolves with the result of this item; rejects if its call failed. */
  submit(item: In): Promise<Out> {
    return new Promise<Out>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.underWay) void withoutOrigin(() => this.run());
    });
  }

  private async run(): Promise<void> {
    this.underWay = true;
    // Items that are submitted in this turn of the event loop join the batch.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      await this.call(this.waiting.splice(0, this.atMost));
      await pause(BREATH_MS);
    }
    this.underWay = false;
  }

  private async call(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
