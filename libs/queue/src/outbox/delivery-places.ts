import type { Logger } from '#platform';
import { UnderWay } from '../jobs/under-way';

export interface PlaceLimits {
  /** Number of attempts at once. */
  readonly places: number;
  /** An attempt that takes longer mostly waits for its partner, and goes on without a place. */
  readonly afterMs: number;
  /** Maximum of attempts without a place; further ones keep theirs. */
  readonly withoutPlace: number;
}

/** Limits the attempts at once of a process, so that a few partners that hang do not take all places. */
export class DeliveryPlaces {
  private readonly underWay = new UnderWay();
  private readonly queue: (() => void)[] = [];
  private free: number;
  private without = 0;

  constructor(
    private readonly limits: PlaceLimits,
    private readonly logger: Logger,
  ) {
    this.free = limits.places;
  }

  /** Resolves when the work is done, or goes on without its place. @throws what the work throws until then */
  async run(work: () => Promise<void>): Promise<void> {
    await this.take();
    try {
      await this.untilLate(this.underWay.follow(work()));
    } finally {
      this.giveBack();
    }
  }

  /** Resolves when no work goes on. */
  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private async take(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((taken) => this.queue.push(taken));
  }

  private giveBack(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.free += 1;
  }

  private async untilLate(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, this.limits.afterMs, 'late')));
    const first = await Promise.race([work, late]).finally(() => clearTimeout(timer));
    if (first !== 'late' || this.without >= this.limits.withoutPlace) return work;
    this.without += 1;
    work
      .catch((error: unknown) =>
        this.logger.error({ err: error }, 'an attempt failed after the end of its job'),
      )
      .finally(() => (this.without -= 1));
  }
}
