import type { Logger } from '../logging';
import { VARIABLES } from './table';

/** A variable of the environment that nothing reads, and the one that it was probably meant to be. */
export interface MisspeltVariable {
  readonly written: string;
  readonly meant: string;
}

/** Shorter names are too often those of other programs: HOME is not HOST. */
const SHORTEST = 7;
/** Letters that are missing, added, different or exchanged. */
const MISTAKES_AT_MOST = 2;

/** Variables that nothing reads and whose names differ from a variable of the product, which is not set, by a letter or two. */
export function misspeltVariables(environment: NodeJS.ProcessEnv = process.env): MisspeltVariable[] {
  const absent = Object.keys(VARIABLES).filter((name) => !environment[name] && name.length >= SHORTEST);
  return Object.keys(environment)
    .filter((written) => !(written in VARIABLES) && environment[written] && written.length >= SHORTEST)
    .flatMap((written) => {
      const meant = absent.find((name) => mistakes(written, name) <= MISTAKES_AT_MOST);
      return meant === undefined ? [] : [{ written, meant }];
    });
}

/** Names these variables in the log at a start. */
export function warnOfMisspeltVariables(logger: Logger): void {
  for (const { written, meant } of misspeltVariables())
    logger.warn(
      `${written} has no effect, because it is no variable of Drawbridge: perhaps ${meant} is meant`,
    );
}

/** The number of mistakes between two names: Damerau and Levenshtein's distance, where no letter is exchanged twice. */
function mistakes(written: string, meant: string): number {
  if (Math.abs(written.length - meant.length) > MISTAKES_AT_MOST) return Infinity;
  let [beforeLast, last] = [[] as number[], Array.from({ length: meant.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= written.length; row++) {
    const next = [row];
    for (let at = 1; at <= meant.length; at++) {
      const isSame = written[row - 1] === meant[at - 1];
      const isExchanged = written[row - 1] === meant[at - 2] && written[row - 2] === meant[at - 1];
      const ways = [last[at]! + 1, next[at - 1]! + 1, last[at - 1]! + (isSame ? 0 : 1)];
      next.push(Math.min(...ways, ...(isExchanged ? [beforeLast[at - 2]! + 1] : [])));
    }
    [beforeLast, last] = [last, next];
  }
  return last[meant.length]!;
}
