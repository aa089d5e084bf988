interface Interval {
  ratio: number;
  low: number;
  high: number;
  pairs: number;
}
interface Statistics {
  ratioOfPairs(pairs: [number, number][]): Interval;
  verdictOf(interval: { low: number; high: number }, bound: number): string;
  percentile(sorted: number[], share: number): number;
  median(numbers: number[]): number;
  deviation(numbers: number[]): number;
  fairness(numbers: number[]): number;
}
const { ratioOfPairs, verdictOf, percentile, median, deviation, fairness } = jest.requireActual<Statistics>(
  '../../bench/instrument/statistics.mjs',
);

/** Numbers of a normal distribution, the same in every run. */
function* normal(): Generator<number> {
  let state = 42;
  const next = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (;;) yield Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

describe('a ratio of pairs', () => {
  it('is exact if each pair has the same one, even if the machine was busy', () => {
    const { ratio, low, high } = ratioOfPairs([100, 40, 7, 350].map((speed) => [speed / 2, speed]));
    for (const figure of [ratio, low, high]) expect(figure).toBeCloseTo(0.5, 10);
  });

  it('has the interval of Student for the logarithms', () => {
    // Logarithms 0, 1 and 2: mean 1, deviation 1, t of two degrees 4.303.
    const interval = ratioOfPairs([0, 1, 2].map((power) => [Math.exp(power), 1]));
    expect(interval.ratio).toBeCloseTo(Math.E, 10);
    expect(Math.log(interval.high)).toBeCloseTo(1 + 4.303 / Math.sqrt(3), 3);
    expect(Math.log(interval.low)).toBeCloseTo(1 - 4.303 / Math.sqrt(3), 3);
  });

  it('is unbounded for one pair, which proves nothing about others', () => {
    expect(ratioOfPairs([[1, 2]])).toEqual({ ratio: 0.5, low: 0, high: Infinity, pairs: 1 });
  });

  it('has the true ratio in its interval in about 95 of 100 runs', () => {
    const noise = normal();
    const value = () => noise.next().value as number;
    let hits = 0;
    for (let run = 0; run < 1000; run++) {
      const pairs = Array.from({ length: 10 }, (): [number, number] => {
        const busy = Math.exp(value());
        return [0.7 * busy * Math.exp(value() / 5), busy * Math.exp(value() / 5)];
      });
      const { low, high } = ratioOfPairs(pairs);
      if (low <= 0.7 && 0.7 <= high) hits++;
    }
    expect(hits).toBeGreaterThan(920);
    expect(hits).toBeLessThan(980);
  });
});

it.each([
  [{ low: 0.8, high: 0.9 }, 'reached'],
  [{ low: 0.6, high: 0.9 }, 'open'],
  [{ low: 0.6, high: 0.7 }, 'missed'],
])('%j beside 0.75 is %s', (interval, verdict) => {
  expect(verdictOf(interval, 0.75)).toBe(verdict);
});

it('finds percentiles, medians and deviations', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 51, 100, 100]);
  expect(percentile([], 0.5)).toBe(0);
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138, 3);
});

it("has Jain's index of fairness", () => {
  expect(fairness([5, 5, 5, 5])).toBe(1);
  expect(fairness([8, 0, 0, 0])).toBe(0.25);
});
