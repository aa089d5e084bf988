// Random numbers that are the same in every run, distributed as unevenly as in organisations.

/** Numbers from 0 to 1 of a seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number below `count`. Small numbers are much more frequent. */
export const skewed = (next, count) => Math.min(count - 1, Math.floor(count * next() ** 3));

/**
 * Parts of a whole for `count` owners by the Pareto distribution (a fifth of the owners has about four fifths), none above
 * `most`.
 *
 * @returns {Uint32Array} whose sum is `total`
 */
export function partsOf(total, count, next, most) {
  const weights = Float64Array.from({ length: count }, () => (1 - next()) ** (-1 / 1.16));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = new Uint32Array(count);
  let left = total;
  for (let owner = 0; owner < count && left > 0; owner++) {
    parts[owner] = Math.min(left, most, Math.floor((weights[owner] / whole) * total));
    left -= parts[owner];
  }
  // The rest after rounding is distributed over all owners.
  for (let owner = 0; left > 0; owner = (owner + 1) % count) {
    const more = Math.min(left, Math.ceil(left / count), Math.max(0, most - parts[owner]));
    parts[owner] += more;
    left -= more;
  }
  return parts;
}
