// Options of run.mjs.
import { parseArgs } from 'node:util';

const SLICES = 10;
const QUICK_SLICES = 3;
const SLICE_SECONDS = 1;

const numberOf = (text, name) => {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} wants a number above 0, not ${text}`);
  return number;
};

/**
 * @param {string[]} words of the command line
 * @returns {{seconds: number, rounds: number, connections: number[] | undefined, case: string, quick: boolean, profile: boolean, against: string | undefined}}
 *   `seconds` of one slice, `rounds` pairs of slices; `connections` is undefined if each case uses its own
 */
export function readOptions(words) {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string', default: String(SLICE_SECONDS) },
      rounds: { type: 'string' },
      connections: { type: 'string' },
      case: { type: 'string', default: '' },
      profile: { type: 'boolean', default: false },
      against: { type: 'string' },
    },
  });
  const { quick, profile, against } = values;
  return {
    quick,
    profile,
    against,
    case: values.case,
    seconds: numberOf(values.seconds, 'seconds'),
    rounds: numberOf(values.rounds ?? (quick ? QUICK_SLICES : SLICES), 'rounds'),
    connections:
      values.connections?.split(',').map((one) => numberOf(one, 'connections')) ?? (quick ? [16] : undefined),
  };
}
