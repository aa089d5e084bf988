import {
  ScannerFailure,
  ScannerHungUp,
  type ScannedContent,
  type Scanner,
  type ScannerAnswer,
  type ScanVerdict,
} from './scanner';

/** Contents that wait for their turn, for each one that is scanned. */
const WAITING_PER_PLACE = 25;
const ATTEMPTS = 3;

export interface ScanLimits {
  /** Contents that are scanned at once. */
  readonly atOnce: number;
  /** For how long a content waits for its turn. */
  readonly waitMs: number;
}

/** Has contents scanned, a few at once; those that find no place in time count as if the scanner were out of reach. */
export class ScanQueue {
  private busy = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly scanner: Scanner,
    private readonly limits: ScanLimits,
  ) {}

  /** @param open asked when the content's turn has come @throws what reading the content fails with */
  async scan(open: () => Promise<ScannedContent>): Promise<ScanVerdict> {
    try {
      await this.enter();
    } catch (error) {
      return unreachable(error);
    }
    try {
      return await this.ask(open);
    } catch (error) {
      return unreachable(error);
    } finally {
      this.leave();
    }
  }

  /** A scanner that takes no more hangs up, and what it said may be lost by that: it is asked again. */
  private async ask(open: () => Promise<ScannedContent>): Promise<ScannerAnswer> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.scanner.scan(open);
      } catch (error) {
        if (!(error instanceof ScannerHungUp) || attempt === ATTEMPTS) throw error;
      }
  }

  private async enter(): Promise<void> {
    const { atOnce, waitMs } = this.limits;
    if (this.busy < atOnce) return void this.busy++;
    if (this.waiting.size >= atOnce * WAITING_PER_PLACE)
      throw new ScannerFailure('too many contents wait for it');
    // A place is handed on, so that the count of busy ones stays as it is.
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => {
        this.waiting.delete(go);
        reject(new ScannerFailure(`it was busy for ${waitMs} ms`));
      }, waitMs);
      const go = (): void => {
        clearTimeout(limit);
        resolve();
      };
      this.waiting.add(go);
    });
  }

  private leave(): void {
    const [next] = this.waiting;
    if (!next) return void this.busy--;
    this.waiting.delete(next);
    next();
  }
}

function unreachable(error: unknown): ScanVerdict {
  if (error instanceof ScannerFailure) return { kind: 'unreachable', error };
  throw error;
}
