import { distance } from 'fastest-levenshtein';
import type { Logger } from '../logging';
import { VARIABLES } from './table';

/** A variable of the environment that nothing reads, and the one that it was probably meant to be. */
export interface MisspeltVariable {
  readonly written: string;
  readonly meant: string;
}

/** Shorter names are too often those of other programs: HOME is not HOST. */
const SHORTEST = 7;
/** Letters that are missing, added or different; two exchanged letters are two mistakes (Levenshtein's distance). */
const MISTAKES_AT_MOST = 2;

/** Variables that nothing reads and whose names differ from a variable of the product, which is not set, by a letter or two. */
export function misspeltVariables(environment: NodeJS.ProcessEnv = process.env): MisspeltVariable[] {
  const absent = Object.keys(VARIABLES).filter((name) => !environment[name] && name.length >= SHORTEST);
  return Object.keys(environment)
    .filter((written) => !(written in VARIABLES) && environment[written] && written.length >= SHORTEST)
    .flatMap((written) => {
      const meant = absent.find((name) => distance(written, name) <= MISTAKES_AT_MOST);
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
