// Takes slices of measurements in turn, so that other load of the machine affects all sides alike.
import { ratioOfPairs } from './statistics.mjs';
import { combined } from '../measure.mjs';

/**
 * Takes `rounds` slices of each side. The order changes with each round, so that it favours no side.
 *
 * @param {string[]} sides @param {number} rounds @param {(side: string, round: number) => Promise<object>} take
 * @returns {Promise<Record<string, object[]>>} the slices of each side, in the order of the rounds
 */
export async function interleaved(sides, rounds, take) {
  const slices = Object.fromEntries(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? sides : [...sides].reverse();
    for (const side of order) slices[side].push(await take(side, round));
  }
  return slices;
}

const perSecond = (slice) => slice.count / slice.elapsed;
const cpuPerRequest = (slice) => Math.max(slice.cpuMs, Number.MIN_VALUE) / slice.count;

const pairsOf = (ours, theirs, figure) => ours.map((slice, index) => [figure(slice), figure(theirs[index])]);

/**
 * Slices of the product and of its baseline as one row: throughput and processor time per request, each as a ratio with
 * its interval. The ratio of processor time is above 1 if the product needs less.
 */
export function rowOfSlices(product, baseline) {
  const [ours, theirs] = [combined(product), combined(baseline)];
  return {
    product: ours.perSecond,
    baseline: theirs.perSecond,
    ratio: ours.perSecond / theirs.perSecond,
    p50: ours.p50,
    p99: ours.p99,
    cpuMsPerRequest: ours.cpuMsPerRequest,
    rssMb: ours.rssMb,
    interval: ratioOfPairs(pairsOf(product, baseline, perSecond)),
    cpu: {
      baselineMsPerRequest: theirs.cpuMsPerRequest,
      interval: ratioOfPairs(pairsOf(baseline, product, cpuPerRequest)),
    },
  };
}
