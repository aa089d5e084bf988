/** Minimum speed of a partner with content. */
export interface PaceLimits {
  /** Milliseconds of waiting for the partner before it is judged. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
}

/** Without this limit, a partner that sends one byte a second would hold a reader for ever. */
export const PACE_LIMITS: PaceLimits = { windowMs: 60_000, bytesPerSecond: 1024 };

/** Measures how many bytes a partner moves while we wait for it. Time that our own side takes does not count. */
export class Pace {
  private waitedMs = 0;
  private bytes = 0;

  constructor(private readonly limits: PaceLimits) {}

  /** Notes that `bytes` moved after this time of waiting. @returns whether that is too slow */
  isTooSlowWith(waitedMs: number, bytes: number): boolean {
    this.waitedMs += waitedMs;
    this.bytes += bytes;
    if (this.waitedMs < this.limits.windowMs) return false;
    const isTooSlow = this.bytes * 1000 < this.waitedMs * this.limits.bytesPerSecond;
    this.waitedMs = this.bytes = 0;
    return isTooSlow;
  }
}
