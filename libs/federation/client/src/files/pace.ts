/** How slow a partner may be with content. */
export interface PaceLimits {
  /** Milliseconds of waiting for the partner after which it is judged. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
}

/** A partner that gives one byte a second would otherwise hold a reader for ever. */
export const PACE_LIMITS: PaceLimits = { windowMs: 60_000, bytesPerSecond: 1024 };

/**
 * Judges how much a partner moves in the time that is spent waiting for it. Time that our own side spends does not count.
 */
export class Pace {
  private waitedMs = 0;
  private bytes = 0;

  constructor(private readonly limits: PaceLimits) {}

  /** Notes that `bytes` came, or went, after so much waiting. @returns whether that is too slow */
  isTooSlowWith(waitedMs: number, bytes: number): boolean {
    this.waitedMs += waitedMs;
    this.bytes += bytes;
    if (this.waitedMs < this.limits.windowMs) return false;
    const isTooSlow = this.bytes * 1000 < this.waitedMs * this.limits.bytesPerSecond;
    this.waitedMs = this.bytes = 0;
    return isTooSlow;
  }
}
