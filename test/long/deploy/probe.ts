const EVERY_MS = 100;
/** Requests that wait for a restarting app count as answered. */
const PATIENCE_MS = 180_000;

export interface Tally {
  readonly asked: number;
  readonly failures: readonly string[];
  readonly slowestMs: number;
}

/** Sends ten requests a second until it is stopped. */
export class Probe {
  private readonly failures: string[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private asked = 0;
  private slowestMs = 0;
  private readonly timer: NodeJS.Timeout;

  /** @param requests sent in turn */
  constructor(private readonly requests: readonly (() => Promise<Response>)[]) {
    this.timer = setInterval(() => this.ask(), EVERY_MS);
  }

  /** Resolves when the last answer has arrived. */
  async end(): Promise<Tally> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
    return { asked: this.asked, failures: this.failures, slowestMs: this.slowestMs };
  }

  private ask(): void {
    const request = this.requests[this.asked++ % this.requests.length]!;
    const startedAt = Date.now();
    const asking = Promise.race([request(), tooLate()])
      .then(
        async (reply) => {
          await reply.arrayBuffer();
          if (!reply.ok) this.failures.push(`HTTP ${reply.status} ${reply.url}`);
        },
        (error: unknown) => void this.failures.push(String((error as Error).cause ?? error)),
      )
      .finally(() => {
        this.slowestMs = Math.max(this.slowestMs, Date.now() - startedAt);
        this.underWay.delete(asking);
      });
    this.underWay.add(asking);
  }
}

const tooLate = (): Promise<never> =>
  new Promise((_, fail) => setTimeout(() => fail(new Error('no answer in time')), PATIENCE_MS).unref());
