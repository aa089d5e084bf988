import { LISTED_STATES, MOUNTED_STATES } from '#sharing';

const listOf = (states: readonly string[]): string => `(${states.map((state) => `'${state}'`).join(', ')})`;

/** For `state IN …` of a share from a partner that its recipient sees in lists. */
export const LISTED = listOf(LISTED_STATES);

/** For `state IN …` of a share from a partner that has a place in its recipient's tree. */
export const MOUNTED = listOf(MOUNTED_STATES);
