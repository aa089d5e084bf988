const MINUTE_MS = 60_000;
/** Maximum number of different attempts per minute; further ones are counted by their action alone. */
const MOST_KEYS = 2000;

/**
 * Counts refused attempts of this process, so that a thousand failures cost four statements: the first,
 * tenth, hundredth and thousandth of a minute are written, each with those before it.
 */
export class RefusalCounter {
  private minute = 0;
  private readonly counts = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Counts one attempt. @returns the number of attempts to write now; 0 for none */
  note(action: string, about: string): number {
    const minute = Math.floor(this.now() / MINUTE_MS);
    if (minute !== this.minute) this.counts.clear();
    this.minute = minute;
    const whole = `${action}\n${about}`;
    const key = this.counts.has(whole) || this.counts.size < MOST_KEYS ? whole : action;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    const written = count / 10;
    return isPowerOfTen(count) ? count - (count === 1 ? 0 : written) : 0;
  }
}

const isPowerOfTen = (count: number): boolean => /^10*$/.test(String(count));
