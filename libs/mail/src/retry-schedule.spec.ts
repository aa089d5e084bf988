import { delayAfter } from './retry-schedule';

describe('the schedule of attempts', () => {
  it('begins after a minute, never gets shorter, and ends after about two days', () => {
    const delays = Array.from({ length: 11 }, (_, index) => delayAfter(index + 1)!);
    expect(delays[0]).toBe(60);
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
    expect(delays.reduce((sum, delay) => sum + delay, 0) / 3600).toBeCloseTo(47.85, 1);
    expect(delayAfter(12)).toBeUndefined();
  });
});
