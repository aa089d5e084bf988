import type { Parser } from './parsers';

/** One row of the configuration table: how a variable is read, and what its reader is told. */
export interface Variable<T> {
  readonly parse: Parser<T>;
  /** The value as it would be written; undefined where the variable may be absent. */
  readonly fallback?: string;
  /** Meaning of the variable, for operators. */
  readonly meaning: string;
  /** A value as it might be written, for the generated example. */
  readonly example?: string;
  /** Never shown in a log, an error or a report. */
  readonly secret?: boolean;
}

/** A row whose variable always has a value. */
export const required = <T>(row: Variable<T> & { fallback: string }): Variable<T> & { fallback: string } =>
  row;
/** A row whose variable may be absent. */
export const optional = <T>(row: Variable<T>): Variable<T> & { fallback?: undefined } => ({
  ...row,
  fallback: undefined,
});
