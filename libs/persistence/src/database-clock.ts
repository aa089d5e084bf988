import { Raw } from 'typeorm';

// Times are compared by the clock of the database, which all processes share.

const after = (milliseconds: number): string =>
  `now() + ${Math.round(milliseconds)} * interval '1 millisecond'`;

/** Value for a column: now. */
export const now = (): string => 'now()';

/** Value for a column: a time this many milliseconds from now. */
export const fromNow = (milliseconds: number) => (): string => after(milliseconds);

/** Condition of a column: later than now. */
export const inFuture = () => Raw((column) => `${column} > now()`);

/** Condition of a column: at least this many milliseconds ago. */
export const longerAgoThan = (milliseconds: number) => Raw((column) => `${column} < ${after(-milliseconds)}`);
