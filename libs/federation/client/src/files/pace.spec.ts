import { Pace } from './pace';

const LIMITS = { windowMs: 60_000, bytesPerSecond: 1024 };

describe('the pace of a partner', () => {
  it('is checked after a window of waiting, and again after the next one', () => {
    const pace = new Pace(LIMITS);
    expect(pace.isTooSlowWith(59_999, 0)).toBe(false);
    expect(pace.isTooSlowWith(1, 61_440)).toBe(false);
    expect(pace.isTooSlowWith(59_999, 61_439)).toBe(false);
    expect(pace.isTooSlowWith(1, 0)).toBe(true);
  });

  it('does not include time in which nobody waits for it', () => {
    const pace = new Pace(LIMITS);
    const pieces = Array.from({ length: 100_000 }, () => pace.isTooSlowWith(0, 1));
    expect(pieces).not.toContain(true);
  });

  it('is too slow with a byte a second', () => {
    const pace = new Pace(LIMITS);
    const seconds = Array.from({ length: 60 }, () => pace.isTooSlowWith(1_000, 1));
    expect(seconds.indexOf(true)).toBe(59);
  });
});
