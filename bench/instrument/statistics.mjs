// Figures of samples: means, percentiles, and ratios of pairs with their confidence intervals.

/** Student's t at 97.5 % by degrees of freedom 1 to 30; above 30, the normal distribution is close enough. */
const T_975 = [
  ...[
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  ],
  ...[2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042],
];
const NORMAL_975 = 1.96;

const tOf = (degrees) => T_975[degrees - 1] ?? NORMAL_975 + 2.4 / degrees;

export const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
export const mean = (numbers) => sum(numbers) / numbers.length;
export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** @param {ArrayLike<number>} sorted ascending @param {number} share from 0 to 1; 0 for no samples */
export const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Standard deviation of a sample. */
export function deviation(numbers) {
  const middle = mean(numbers);
  return Math.sqrt(sum(numbers.map((one) => (one - middle) ** 2)) / (numbers.length - 1));
}

/**
 * The ratio of two figures that were measured in pairs, with its 95 % confidence interval. Other load of the machine affects
 * both slices of a pair, so it cancels out. The logarithms of the ratios are averaged, because ratios multiply.
 *
 * @param {[number, number][]} pairs numerator and denominator, both above 0
 * @returns {{ratio: number, low: number, high: number, pairs: number}} the interval of a single pair is unbounded
 */
export function ratioOfPairs(pairs) {
  const logarithms = pairs.map(([ours, theirs]) => Math.log(ours / theirs));
  const middle = mean(logarithms);
  const half =
    pairs.length < 2 ? Infinity : (tOf(pairs.length - 1) * deviation(logarithms)) / Math.sqrt(pairs.length);
  return {
    ratio: Math.exp(middle),
    low: Math.exp(middle - half),
    high: Math.exp(middle + half),
    pairs: pairs.length,
  };
}

/** Whether an interval is above a bound, below it, or contains it. */
export function verdictOf({ low, high }, bound) {
  if (low >= bound) return 'reached';
  return high < bound ? 'missed' : 'open';
}

/** Jain's index of fairness: 1 if all get the same, 1/n if one gets everything. */
export const fairness = (numbers) =>
  sum(numbers) ** 2 / (numbers.length * sum(numbers.map((one) => one * one)));
