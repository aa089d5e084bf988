import {
  ScannerFailure,
  ScannerHungUp,
  type ScannedContent,
  type Scanner,
  type ScannerAnswer,
  type ScanVerdict,
} from './scanner';

/** Maximum of waiting contents per simultaneous scan. */
const WAITING_PER_PLACE = 25;
const ATTEMPTS = 3;

export interface ScanLimits {
  /** Maximum of simultaneous scans. */
  readonly atOnce: number;
  /** Maximum time that a content waits. */
  readonly waitMs: number;
}

/** Scans contents, a few at once. A content that finds no place in time is treated as if the scanner could not be reached. */
export class ScanQueue {
  private busy = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly scanner: Scanner,
    private readonly limits: ScanLimits,
  ) {}

  /** @param open called when it is the content's turn @throws errors of reading the content */
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

  /** A scanner that accepts no more bytes closes the connection, and its answer may be lost: then it is asked again. */
  private async ask(open: () => Promise<ScannedContent>): Promise<ScannerAnswer> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.scanner.scan(open, attempt > 1);
      } catch (error) {
        if (!(error instanceof ScannerHungUp) || attempt === ATTEMPTS) throw error;
      }
  }

  private async enter(): Promise<void> {
    const { atOnce, waitMs } = this.limits;
    if (this.busy < atOnce) return void this.busy++;
    if (this.waiting.size >= atOnce * WAITING_PER_PLACE)
      throw new ScannerFailure('too many contents wait for it');
    // The place is passed on, so the count of busy places stays.
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
